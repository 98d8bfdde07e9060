#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "syscall_filter.h"
#include "syscall_number.h"
#include "thread.h"

/* A thread's filters, from its status file; -1 for what is unknown. */
struct filters {
	int mode;  /* as prctl(PR_GET_SECCOMP) returns it */
	int count; /* known since Linux 5.9 */
};

static struct filters first;
static bool inherited;
static bool kills, kills_socket;

/* A number in a status file, by the name in front of it; -1 if it is not
 * there. */
static int status_number(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? atoi(line + strlen(name)) : -1;
}

static void file_read(const char *path, char *text, size_t size)
{
	ssize_t got = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		got = read(fd, text, size - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = '\0';
}

static struct filters filters_read(const char *path, int *parent)
{
	struct filters filters;
	char text[4096];

	file_read(path, text, sizeof(text));
	filters.mode = status_number(text, "\nSeccomp:");
	filters.count = status_number(text, "\nSeccomp_filters:");
	*parent = status_number(text, "\nPPid:");
	return filters;
}

static struct filters filters_now(void)
{
	int parent;

	return filters_read("/proc/thread-self/status", &parent);
}

/* Whether the parent runs under the filters as well. If so, they were there
 * when this process was made, so they allow that. */
static bool is_parents(int parent)
{
	struct filters filters;
	char path[64];
	int unused;

	snprintf(path, sizeof(path), "/proc/%d/status", parent);
	filters = filters_read(path, &unused);
	return filters.mode == SECCOMP_MODE_FILTER &&
	       filters.count >= first.count;
}

/* Whether the process has another control group than its parent. What runs
 * containers, services or batch jobs gives each a group, and sets a filter that
 * is made for any program. */
static bool is_grouped_apart(int parent)
{
	char own[4096], parents[4096], path[64];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", parent);
	file_read(path, parents, sizeof(parents));
	file_read("/proc/self/cgroup", own, sizeof(own));
	return *own && *parents && strcmp(own, parents) != 0;
}

/* A process whose parent is out of sight is in a container. */
static void first_look(void)
{
	int parent, saved = errno;

	first = filters_read("/proc/thread-self/status", &parent);
	if (first.mode == SECCOMP_MODE_FILTER)
		inherited = !parent || is_parents(parent) ||
			    is_grouped_apart(parent);
	errno = saved;
}

void syscall_filter_look(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, first_look);
}

enum standing { FREE, INHERITED, OWN };

/* Found out as late as it is needed. If there was no filter at the first look,
 * this makes one call that the kernel has for this purpose: a filter that was
 * set since may kill for any other. */
static enum standing syscall_filter_standing(void)
{
	struct filters now;
	int mode;

	syscall_filter_look();
	if (first.mode != SECCOMP_MODE_FILTER) {
		mode = prctl(PR_GET_SECCOMP);
		return !mode || (mode < 0 && errno == EINVAL) ? FREE : OWN;
	}
	if (!inherited)
		return OWN;
	now = filters_now();
	return now.mode == first.mode && now.count == first.count ? INHERITED
								  : OWN;
}

/* Before Linux 5.12, a fork could separate the process from memory that a
 * network card writes to, until the child ends. */
static bool fork_is_harmless(void)
{
	struct utsname name;
	long major, minor;
	char *end;

	if (uname(&name))
		return false;
	major = strtol(name.release, &end, 10);
	minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
	return major > 5 || (major == 5 && minor >= 12);
}

/* clang-format off */

/* Calls that few programs make. */
static const long rare[] = {
	SYS_membarrier, SYS_close_range, SYS_mq_getsetattr, SYS_pidfd_open,
	SYS_pidfd_getfd, SYS_process_vm_readv, SYS_signalfd4, 0};

/* Calls by which a socket gets its name and its clients, by which sockets that
 * other processes left are recognised, and by which the control thread is woken
 * when it has to leave. */
static const long of_socket[] = {
	SYS_bind, SYS_listen, SYS_connect, SYS_accept4, SYS_getsockname,
	SYS_getsockopt, SYS_sendto, SYS_recvfrom, SYS_newfstatat,
	SYS_getdents64, SYS_kill, SYS_tgkill,
#ifdef SYS_mkdir
	SYS_mkdir, SYS_chmod, SYS_rename, SYS_unlink,
#else
	SYS_mkdirat, SYS_fchmodat, SYS_renameat, SYS_unlinkat,
#endif
	0};
/* clang-format on */

/* Makes each call with arguments that none of them takes, so that it has no
 * effect. No function of the program's may run here: its other threads may hold
 * any lock. */
static void calls_make(const long *calls)
{
	/* No core is written. With a limit of 0 it would still be sent to a
	 * program that takes cores. */
	const struct rlimit none = {1, 1};

	syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL);
	if (calls == of_socket) /* filters distinguish families */
		syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	for (; *calls; calls++)
		syscall(*calls, -1L, -1L, -1L, -1L, -1L, -1L);
	syscall(SYS_exit_group, 0);
}

/* The program is not told of the child: it gets no signal when the child ends,
 * and no wait of its own finds the child, as both depend on the signal that
 * clone is given, here none. Signals are blocked in the child, as in the
 * control thread, so that no handler of the program's runs, and a filter that
 * traps counts as one that kills. */
static bool filter_try(const long *calls)
{
	int status = SIGKILL; /* if another thread has waited for it */
	sigset_t all, before;
	pid_t child;

	switch (syscall_filter_standing()) {
	case FREE:
		return false;
	case OWN:
		return true;
	case INHERITED:
		break;
	}
	if (!fork_is_harmless())
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

bool syscall_filter_is_own(void)
{
	int saved = errno;
	bool own = syscall_filter_standing() == OWN;

	errno = saved;
	return own;
}
