#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_stat.h"

/* On the architectures that we build for, the kernel's struct stat is
 * glibc's. */
int file_stat(const char *path, struct stat *st, int flags)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, flags);
}

int file_stat_open(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}

int file_stat_at(int folder, const char *name, struct stat *st)
{
	return (int)syscall(SYS_newfstatat, folder, name, st,
			    AT_SYMLINK_NOFOLLOW);
}
