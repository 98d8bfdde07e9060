/* Begins NVTX ranges while it begins others: in its malloc, and in the handler
 * of a timer; or its malloc forks. Without a tool NVTX does nothing, so all
 * work. Usage: nvtx_inside malloc|handler|fork */
#include <nvtx3/nvToolsExt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANGES = 2000, SIGNALS = 500, DEADLINE = 20 /* seconds */ };

void *__libc_malloc(size_t size);

static bool traced; /* malloc */
static bool forks;
static volatile sig_atomic_t signals;

static void begin_range(const char *name)
{
	nvtxRangePushA(name);
	nvtxRangePop();
}

static void fork_once(void)
{
	pid_t child = fork();

	forks = false;
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	if (traced) {
		traced = false;
		if (forks)
			fork_once();
		begin_range("malloc");
		traced = true;
	}
	return __libc_malloc(size);
}

static void tick(int unused)
{
	(void)unused;
	begin_range("tick");
	signals++;
}

static void ticks_begin(void)
{
	const struct sigaction action = {.sa_handler = tick};
	const struct itimerval often = {{0, 200}, {0, 200}};

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
}

int main(int argc, char **argv)
{
	bool handler = argc > 1 && !strcmp(argv[1], "handler");
	const struct itimerval none = {0};

	if (argc < 2 || (!handler && strcmp(argv[1], "malloc") != 0 &&
			 strcmp(argv[1], "fork") != 0))
		return 2;
	alarm(DEADLINE);
	begin_range("begin"); /* NVTX is set up */
	if (handler)
		ticks_begin();
	forks = !strcmp(argv[1], "fork");
	traced = !handler;
	for (int i = 0; i < RANGES || (handler && signals < SIGNALS); i++)
		begin_range("iteration 1");
	traced = false;
	setitimer(ITIMER_PROF, &none, NULL);
	puts("over");
	return 0;
}
