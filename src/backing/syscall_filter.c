#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syscall_filter.h"
#include "syscall_number.h"
#include "thread.h"

static bool kills;

/* By the process's status; where that can't be read, as in a chroot without
 * /proc, nobody is taken to filter. */
static bool filter_is_set(void)
{
	char text[4096], *line;
	ssize_t size = -1;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		size = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[size > 0 ? size : 0] = '\0';
	line = strstr(text, "\nSeccomp:");
	return line && atoi(line + strlen("\nSeccomp:")) != 0;
}

/* Before Linux 5.12 a fork could part the process from memory that a network
 * card writes to, until the child ends. */
static bool fork_is_harmless(void)
{
	struct utsname name;
	int major, minor;

	return !uname(&name) &&
	       sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 12));
}

/* Each without an effect. No function of the program's may run here: nothing
 * is known of the locks that its other threads hold. */
static void calls_make(void)
{
	/* No core: of 0 it would still be sent to a program that takes them. */
	const struct rlimit none = {1, 1};

	syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL);
	syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0);
	syscall(SYS_close_range, ~0u, ~0u, 0);
	syscall(SYS_mq_getsetattr, -1, NULL, NULL);
	syscall(SYS_pidfd_open, -1, 0);
	syscall(SYS_pidfd_getfd, -1, -1, 0);
	syscall(SYS_process_vm_readv, 0, NULL, 0, NULL, 0, 0);
	syscall(SYS_exit_group, 0);
}

/* The child ends without a signal to the program, and no wait of the program's
 * is for it: both go by the signal that clone names, here none. */
static void filter_try(void)
{
	int status = SIGKILL; /* where another thread has waited for it */
	pid_t child;

	if (!filter_is_set() || !fork_is_harmless())
		return;
	child = (pid_t)syscall(SYS_clone, CLONE_VFORK, NULL, NULL, NULL, NULL);
	if (!child)
		calls_make();
	if (child < 0) {
		kills = true;
		return;
	}
	while (waitpid(child, &status, __WCLONE) < 0 && errno == EINTR)
		;
	kills = !WIFEXITED(status);
}

bool syscall_filter_kills(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, filter_try);
	return kills;
}
