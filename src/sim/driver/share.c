#include "share.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHARE_MAGIC = 0x73686172 };

/* The end of the file, behind what can be mapped. */
struct tail {
	uint32_t magic;
	int32_t device;
	uint64_t size;
};

int share_make(int device, size_t size)
{
	struct tail tail = {SHARE_MAGIC, device, size};
	int file = memfd_create("mnm-sim-share", MFD_CLOEXEC);

	if (file < 0)
		return -1;
	if (pwrite(file, &tail, sizeof(tail), size) != sizeof(tail)) {
		close(file);
		return -1;
	}
	return file;
}

int share_copy(int file)
{
	return fcntl(file, F_DUPFD_CLOEXEC, 0);
}

bool share_read(int file, int *device, size_t *size)
{
	struct tail tail;
	struct stat stat;
	off_t at;

	if (fstat(file, &stat) || stat.st_size < (off_t)sizeof(tail))
		return false;
	at = stat.st_size - (off_t)sizeof(tail);
	if (pread(file, &tail, sizeof(tail), at) != sizeof(tail) ||
	    tail.magic != SHARE_MAGIC || tail.size != (uint64_t)at)
		return false;
	*device = tail.device;
	*size = tail.size;
	return true;
}
