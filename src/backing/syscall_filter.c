#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syscall_filter.h"
#include "syscall_number.h"
#include "thread.h"

static bool kills, kills_socket;

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

/* clang-format off */

/* That few programs make. */
static const long rare[] = {
	SYS_membarrier, SYS_close_range, SYS_mq_getsetattr, SYS_pidfd_open,
	SYS_pidfd_getfd, SYS_process_vm_readv, 0};

/* By which a socket comes to its name and its clients. */
static const long of_socket[] = {
	SYS_bind, SYS_listen, SYS_connect, SYS_accept4, SYS_getsockname,
	SYS_getsockopt, SYS_sendto, SYS_recvfrom, SYS_newfstatat,
#ifdef SYS_mkdir
	SYS_mkdir, SYS_chmod, SYS_rename, SYS_unlink,
#else
	SYS_mkdirat, SYS_fchmodat, SYS_renameat, SYS_unlinkat,
#endif
	0};
/* clang-format on */

/* Each without an effect: no call takes these arguments. No function of the
 * program's may run here: nothing is known of the locks that its other threads
 * hold. */
static void calls_make(const long *calls)
{
	/* No core: of 0 it would still be sent to a program that takes them. */
	const struct rlimit none = {1, 1};

	syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL);
	if (calls == of_socket) /* filters tell families apart */
		syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	for (; *calls; calls++)
		syscall(*calls, -1L, -1L, -1L, -1L, -1L, -1L);
	syscall(SYS_exit_group, 0);
}

/* The child ends without a signal to the program, and no wait of the program's
 * is for it: both go by the signal that clone names, here none. Signals are
 * blocked in it, as in the control thread: no handler of the program's runs,
 * and a filter that traps is one that kills. */
static bool filter_try(const long *calls)
{
	int status = SIGKILL; /* where another thread has waited for it */
	sigset_t all, before;
	pid_t child;

	if (!filter_is_set() || !fork_is_harmless())
		return false;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = (pid_t)syscall(SYS_clone, CLONE_VFORK, NULL, NULL, NULL, NULL);
	if (!child)
		calls_make(calls);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (child < 0)
		return true;
	while (waitpid(child, &status, __WCLONE) < 0 && errno == EINTR)
		;
	return !WIFEXITED(status);
}

static void rare_try(void)
{
	kills = filter_try(rare);
}

static void of_socket_try(void)
{
	kills_socket = filter_try(of_socket);
}

bool syscall_filter_kills(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, rare_try);
	return kills;
}

bool syscall_filter_kills_socket(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, of_socket_try);
	return kills_socket;
}
