#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fd_table.h"
#include "common/log.h"
#include "syscall_filter.h"
#include "syscall_number.h"

/* No more than every kernel copies. */
enum { COPIED = 64 };

/* Takes a copy of the program's descriptor for a moment only: if it were kept,
 * it would keep open a pipe that the program has closed. All signals are
 * blocked here, SIGPIPE as well. */
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

/* Whether the descriptor is a message queue. Closing one, in whichever table,
 * cancels what the process asked of mq_notify. This call asks no file system,
 * which might not answer. */
static bool is_queue(int fd)
{
	return !syscall(SYS_mq_getsetattr, fd, NULL, NULL);
}

/* Descriptors from COPIED on are not even copied. */
static bool table_copy(void)
{
	return !syscall_filter_kills() &&
	       !syscall(SYS_close_range, COPIED, ~0u, CLOSE_RANGE_UNSHARE);
}

bool fd_table_part(void)
{
	if (!table_copy())
		return false;
	for (int fd = 0; fd < COPIED; fd++)
		if (!is_queue(fd))
			close(fd);
	log_through(stderr_borrow);
	return true;
}

bool fd_table_part_briefly(void)
{
	if (syscall_filter_kills())
		return false;
	for (int fd = 0; fd < COPIED; fd++)
		if (is_queue(fd))
			return false;
	if (!table_copy())
		return false;
	for (int fd = 0; fd < COPIED; fd++)
		if (fd != STDERR_FILENO)
			close(fd);
	return true;
}
