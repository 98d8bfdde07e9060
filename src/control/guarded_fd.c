#include <fcntl.h>
#include <unistd.h>

#include "common/file_stat.h"
#include "guarded_fd.h"

enum { FD_LEAST = 64 };

struct guarded_fd guarded_fd_open(int fd)
{
	struct guarded_fd own = {fcntl(fd, F_DUPFD_CLOEXEC, FD_LEAST), 0};
	struct stat st;

	if (own.fd < 0)
		own.fd = fd;
	else
		close(fd);
	own.inode = file_stat_open(own.fd, &st) ? 0 : st.st_ino;
	return own;
}

bool guarded_fd_is_ours(const struct guarded_fd *own)
{
	struct stat st;

	return own->fd >= 0 && !file_stat_open(own->fd, &st) &&
	       S_ISSOCK(st.st_mode) && st.st_ino == own->inode;
}

void guarded_fd_close(struct guarded_fd *own)
{
	if (guarded_fd_is_ours(own))
		close(own->fd);
	own->fd = -1;
}
