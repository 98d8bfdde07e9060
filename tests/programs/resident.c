/* What a process does to the threads that live in it: with its descriptors, its
 * filters of system calls, and its main thread.
 * Usage: resident redirects | main_leaves ROOT | worker_leaves_last ROOT |
 *                 main_leaves_poor | main_leaves_apart | signal_waits |
 *                 changes_root ROOT | changes_user | executes | detaches |
 *                 filter | filter_inherited CALL | filter_of CALL |
 *                 filter_before CALL | filter_late | filter_planned |
 *                 filter_traps |
 *                 closed_output | queue_tells | contexts
 * The process changes its root to ROOT before main leaves, unless ROOT is
 * "-". */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/syscall_number.h"

enum {
	ROUNDS = 40000,
	PAIRS = 1000,
	WORKERS = 4,
	LAPS = 40,
	BLOCKS = 24,
	CONTEXTS = 300
};

static long wrong;

static void *pairs_run(void *unused)
{
	void *ptr;

	(void)unused;
	for (int i = 0; i < PAIRS; i++)
		wrong += cudaMalloc(&ptr, 1000) || cudaFree(ptr);
	return NULL;
}

/* The lowest free descriptor is the program's, and what it opened stays
 * open. */
static int redirects(const char *unused)
{
	int zero = open("/dev/zero", O_RDONLY), next = zero + 1;
	long moved = 0, busy = 0, lost = 0;
	char byte;

	(void)unused;
	pairs_run(NULL);
	puts("begins");
	fflush(stdout);
	for (int i = 0; i < ROUNDS; i++) {
		close(STDIN_FILENO);
		moved += open("/dev/null", O_RDONLY) != STDIN_FILENO;
		if (dup2(zero, next) != next) {
			busy++;
			continue;
		}
		for (int j = 0; j < 5; j++)
			lost += read(next, &byte, 1) != 1;
		close(next);
	}
	printf("moved %ld busy %ld lost %ld wrong %ld\n", moved, busy, lost,
	       wrong);
	return 0;
}

/* As each of many contexts begins, the lowest free descriptor is the
 * program's. */
static int contexts(const char *unused)
{
	long moved = 0;
	void *block;

	(void)unused;
	for (int i = 0; i < CONTEXTS; i++) {
		wrong += cudaMalloc(&block, 1000);
		for (int j = 0; j < 200; j++) {
			close(STDIN_FILENO);
			moved += open("/dev/null", O_RDONLY) != STDIN_FILENO;
		}
		wrong += cudaFree(block) || cudaDeviceReset();
	}
	printf("moved %ld wrong %ld\n", moved, wrong);
	return 0;
}

/* The last thread runs the exit handlers, which print the result. */
static void leave(const char *root)
{
	pthread_t thread;

	/* pthread_exit needs this, and would not find it in the new root. */
	if (!dlopen("libgcc_s.so.1", RTLD_NOW))
		exit(1);
	if (strcmp(root, "-") && (chroot(root) || chdir("/")))
		exit(1);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&thread, NULL, pairs_run, NULL);
	printf("left in the buffer\n");
	pthread_exit(NULL);
}

static int main_leaves(const char *root)
{
	pairs_run(NULL);
	leave(root);
	return 0;
}

/* By then the main thread may open no descriptor. */
static int main_leaves_poor(const char *unused)
{
	const struct rlimit none = {0, 0};

	(void)unused;
	pairs_run(NULL);
	if (!dlopen("libgcc_s.so.1", RTLD_NOW) ||
	    setrlimit(RLIMIT_NOFILE, &none))
		return 1;
	leave("-");
	return 0;
}

/* By then the main thread is in another network namespace, where no name is
 * known. */
static int main_leaves_apart(const char *unused)
{
	(void)unused;
	pairs_run(NULL);
	if (unshare(CLONE_NEWNET)) {
		puts("no other networks here");
		return 0;
	}
	leave("-");
	return 0;
}

static int changes_root(const char *root)
{
	pairs_run(NULL);
	return chroot(root) || chdir("/");
}

static int changes_user(const char *unused)
{
	(void)unused;
	pairs_run(NULL);
	return setuid(65534) != 0;
}

/* Executes a program that mnm is not preloaded into. */
static int executes(const char *unused)
{
	(void)unused;
	pairs_run(NULL);
	unsetenv("LD_PRELOAD");
	execlp("cat", "cat", NULL);
	return 1;
}

static int detaches(const char *unused)
{
	(void)unused;
	pairs_run(NULL);
	return daemon(1, 1);
}

/* The control thread is woken by signals. If one of these is sent to the
 * process while all its threads block it, it stays the program's. */
static int signal_waits(const char *unused)
{
	sigset_t signals;
	int got = 0;

	(void)unused;
	sigemptyset(&signals);
	sigaddset(&signals, SIGURG);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	pairs_run(NULL);
	kill(getpid(), SIGURG);
	puts("sent");
	fflush(stdout);
	if (getchar() == EOF && !sigwait(&signals, &got))
		printf("got %d\n", got == SIGURG);
	return 0;
}

static int worker_leaves_last(const char *root)
{
	pthread_t thread;

	pthread_create(&thread, NULL, pairs_run, NULL);
	pthread_join(thread, NULL);
	leave(root);
	return 0;
}

#define KILL_FOR(number) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define NUMBER_LOAD \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static bool filter_set(struct sock_filter *filter, size_t count)
{
	struct sock_fprog program = {(unsigned short)count, filter};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int filtered_run(void)
{
	pairs_run(NULL);
	printf("wrong %ld\n", wrong);
	fflush(stdout);
	return getchar() == EOF ? 0 : 1;
}

static int filtered(struct sock_filter *filter, size_t count)
{
	return filter_set(filter, count) ? filtered_run() : 1;
}

#define RARE \
	KILL_FOR(SYS_membarrier), KILL_FOR(SYS_close_range), \
		KILL_FOR(SYS_mq_getsetattr), KILL_FOR(SYS_pidfd_open), \
		KILL_FOR(SYS_pidfd_getfd), KILL_FOR(SYS_process_vm_readv), \
		KILL_FOR(SYS_signalfd4)

/* The filter kills for calls that few programs make. */
static int filter(const char *unused)
{
	struct sock_filter rows[] = {NUMBER_LOAD, RARE, ALLOW};

	(void)unused;
	return filtered(rows, sizeof(rows) / sizeof(*rows));
}

/* Returns the number of a system call, given by its name or as a number. */
static unsigned int call_number(const char *name)
{
	static const struct {
		const char *name;
		unsigned int number;
	} calls[] = {
		{"socket", SYS_socket}, {"bind", SYS_bind},
		{"listen", SYS_listen}, {"accept4", SYS_accept4},
		{"kill", SYS_kill},     {"tgkill", SYS_tgkill},
#ifdef SYS_mkdir
		{"mkdir", SYS_mkdir},   {"chmod", SYS_chmod},
		{"rename", SYS_rename}, {"unlink", SYS_unlink},
#endif
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(name, calls[i].name))
			return calls[i].number;
	return (unsigned int)atoi(name);
}

/* The filter kills for that call, and is older than the program. */
static int filter_inherited(const char *name)
{
	struct sock_filter rare[] = {NUMBER_LOAD, RARE, ALLOW};
	struct sock_filter rows[] = {NUMBER_LOAD, KILL_FOR(0), ALLOW};
	int status = 1;

	rows[1].k = call_number(name);
	if (strcmp(name, "-") ? !filter_set(rows, sizeof(rows) / sizeof(*rows))
			      : !filter_set(rare, sizeof(rare) / sizeof(*rare)))
		return 1;
	if (!fork())
		exit(filtered_run());
	wait(&status);
	return status;
}

/* The filter kills for that call, and is set before CUDA starts. */
static int filter_before(const char *name)
{
	struct sock_filter rows[] = {NUMBER_LOAD, KILL_FOR(0), ALLOW};

	rows[1].k = call_number(name);
	return filtered(rows, sizeof(rows) / sizeof(*rows));
}

/* The same, set after CUDA has started. */
static int filter_of(const char *name)
{
	cudaFree(0);
	return filter_before(name);
}

/* Once there are caches, refuses membarrier. Then closes all caches for a
 * while, as a capture does. */
static int filter_late(const char *unused)
{
	struct sock_filter rows[] = {NUMBER_LOAD, KILL_FOR(SYS_membarrier),
				     ALLOW};
	cudaGraph_t graph;
	cudaStream_t stream;

	(void)unused;
	pairs_run(NULL);
	wrong += cudaStreamCreate(&stream);
	rows[2].k = SECCOMP_RET_ERRNO | EPERM;
	if (!filter_set(rows, sizeof(rows) / sizeof(*rows)))
		return 1;
	wrong += cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
	pairs_run(NULL);
	wrong += cudaStreamEndCapture(stream, &graph);
	return filtered_run();
}

/* The filter kills for another thread, and is set after the first block. Then
 * the program repeats itself. */
static int filter_planned(const char *unused)
{
	struct sock_filter rows[] = {NUMBER_LOAD, KILL_FOR(SYS_clone),
				     KILL_FOR(SYS_clone3), ALLOW};
	void *blocks[BLOCKS];

	(void)unused;
	wrong += cudaMalloc(&blocks[0], 1000) || cudaFree(blocks[0]);
	if (!filter_set(rows, sizeof(rows) / sizeof(*rows)))
		return 1;
	for (int lap = 0; lap < LAPS; lap++) {
		for (size_t i = 0; i < BLOCKS; i++)
			wrong += cudaMalloc(&blocks[i], (i * 7 % 11 + 1) << 18);
		for (size_t i = 0; i < BLOCKS; i++)
			wrong += cudaFree(blocks[i]);
	}
	return filtered_run();
}

static void trapped(int unused)
{
	(void)unused;
	wrong++;
}

/* The signal kills a thread that blocks it, as threads do that want no
 * signals. */
static int filter_traps(const char *unused)
{
	struct sock_filter rows[] = {NUMBER_LOAD, KILL_FOR(SYS_socket), ALLOW};

	(void)unused;
	rows[2].k = SECCOMP_RET_TRAP;
	signal(SIGSYS, trapped);
	cudaFree(0);
	return filtered(rows, sizeof(rows) / sizeof(*rows));
}

/* Only this process has the writing end of the pipe, so the pipe ends when the
 * program closes it, whatever other threads live here. */
static int closed_output(const char *unused)
{
	int ends[2];
	char byte;

	(void)unused;
	if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0)
		return 1;
	close(ends[1]);
	pairs_run(NULL);
	close(STDERR_FILENO);
	printf("read %zd\n", read(ends[0], &byte, 1));
	return 0;
}

/* If any thread of this process closes a descriptor of the queue, the promise
 * of a signal is withdrawn. The signal is blocked, so it stays pending. */
static int queue_tells(const char *unused)
{
	struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 1};
	struct sigevent tell = {.sigev_notify = SIGEV_SIGNAL,
				.sigev_signo = SIGUSR1};
	sigset_t signals;
	char name[32];
	mqd_t queue;

	(void)unused;
	snprintf(name, sizeof(name), "/mnm-resident-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &size);
	if (queue < 0) {
		puts("no queues here");
		return 0;
	}
	mq_unlink(name);
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (mq_notify(queue, &tell))
		return 1;
	pairs_run(NULL);
	mq_send(queue, "", 1, 0);
	sigpending(&signals);
	printf("told %d\n", sigismember(&signals, SIGUSR1));
	return 0;
}

static const struct {
	const char *name;
	int (*run)(const char *argument);
} rows[] = {
	{"redirects", redirects},
	{"main_leaves", main_leaves},
	{"main_leaves_poor", main_leaves_poor},
	{"main_leaves_apart", main_leaves_apart},
	{"signal_waits", signal_waits},
	{"changes_root", changes_root},
	{"changes_user", changes_user},
	{"executes", executes},
	{"detaches", detaches},
	{"worker_leaves_last", worker_leaves_last},
	{"filter", filter},
	{"filter_inherited", filter_inherited},
	{"filter_before", filter_before},
	{"filter_late", filter_late},
	{"filter_planned", filter_planned},
	{"filter_of", filter_of},
	{"filter_traps", filter_traps},
	{"contexts", contexts},
	{"closed_output", closed_output},
	{"queue_tells", queue_tells},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (argc > 1 && !strcmp(argv[1], rows[i].name))
			return rows[i].run(argc > 2 ? argv[2] : "-");
	fputs("resident: one of the names in its source\n", stderr);
	return 2;
}
