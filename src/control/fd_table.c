#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fd_table.h"
#include "common/log.h"
#include "preload/syscall_filter.h"
#include "preload/syscall_number.h"

/* As many as every kernel copies, or fewer. */
enum { COPIED = 64 };

/* A copy of the program's descriptor, for a moment: one that was kept would
 * keep a pipe open that the program has closed. All signals are blocked here,
 * SIGPIPE as well. */
static void stderr_borrow(const char *line, size_t length)
{
	int process = (int)syscall(SYS_pidfd_open, getpid(), 0), fd;
	ssize_t written;

	if (process < 0)
		return;
	fd = (int)syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0);
	close(process);
	if (fd < 0)
		return;
	written = write(fd, line, length);
	(void)written; /* a line that nobody reads is no error */
	close(fd);
}

/* To close a message queue, whichever table it is in, takes back what the
 * process asked of mq_notify. No file system is asked: it might not answer. */
static bool is_queue(int fd)
{
	return !syscall(SYS_mq_getsetattr, fd, NULL, NULL);
}

bool fd_table_part(void)
{
	/* Those from here on are not even copied. */
	if (syscall_filter_kills() ||
	    syscall(SYS_close_range, COPIED, ~0u, CLOSE_RANGE_UNSHARE))
		return false;
	for (int fd = 0; fd < COPIED; fd++)
		if (!is_queue(fd))
			close(fd);
	log_through(stderr_borrow);
	return true;
}
