#include "handle.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

CUresult handle_make(struct handle handle, void *out)
{
	struct stat file;

	if (handle.file < 0 || fstat(handle.file, &file))
		return CUDA_ERROR_MAP_FAILED;
	handle.pid = getpid();
	handle.inode = file.st_ino;
	memset(out, 0, HANDLE_SIZE);
	memcpy(out, &handle, sizeof(handle));
	return CUDA_SUCCESS;
}

struct handle handle_read(const void *from)
{
	struct handle handle;

	memcpy(&handle, from, sizeof(handle));
	return handle;
}

CUresult handle_open(const struct handle *handle, int *out)
{
	char path[64];
	struct stat file;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", handle->pid,
		 handle->file);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return CUDA_ERROR_MAP_FAILED;
	if (fstat(fd, &file) || file.st_ino != handle->inode) {
		close(fd);
		return CUDA_ERROR_MAP_FAILED;
	}
	*out = fd;
	return CUDA_SUCCESS;
}
