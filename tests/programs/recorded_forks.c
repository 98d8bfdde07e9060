/* Forks while other threads do what a recording takes a lock for, and looks
 * whether each child comes to its end. Usage: recorded_forks HOW
 *
 *	stacks	threads ask for memory; a child looks at what is loaded
 *	visit	the same, and it forks while it visits what is loaded, so that
 *its thread has the loader's lock ranges	threads begin, each with a range
 *of its own, before there is a call of CUDA; a child begins a range
 *	small	no fork: a thread with a stack of 16 KiB runs out of memory
 *
 * Exit status 1: a child did not come to its end, or the answer was wrong. */
#include <cuda.h>
#include <link.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	THREADS = 2,
	FORKS = 80,
	VISITS = 5,
	DEADLINE = 20 /* seconds */,
	STACK = 16384
};

static CUcontext context;

static int ready(void)
{
	return cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	       cuCtxSetCurrent(context);
}

static void *ask(void *unused)
{
	CUdeviceptr ptr;

	cuCtxSetCurrent(context);
	for (;;)
		if (!cuMemAlloc(&ptr, 4096))
			cuMemFree(ptr);
	return unused;
}

static void *begin_range(void *unused)
{
	nvtxRangePushA("range");
	nvtxRangePop();
	return unused;
}

static void *begin_threads(void *unused)
{
	pthread_t thread;

	for (;;)
		if (!pthread_create(&thread, NULL, begin_range, NULL))
			pthread_join(thread, NULL);
	return unused;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	(void)arg;
	return 0;
}

enum does { LOOKS, BEGINS, ENDS };

static void be_child(enum does does)
{
	alarm(DEADLINE);
	if (does == BEGINS)
		begin_range(NULL);
	if (does == LOOKS)
		dl_iterate_phdr(look, NULL);
	_exit(0);
}

/* Adds up how children have ended. */
static int fork_one(enum does does)
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		be_child(does);
	return child < 0 || waitpid(child, &status, 0) != child ? 1 : status;
}

static int fork_inside(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	usleep(2000);                 /* others wait for the lock by now */
	*(int *)arg = fork_one(ENDS); /* it can't visit, with or without mnm */
	return 1;
}

static int forks(int ranges, int visits)
{
	pthread_t thread;
	int status = 0;

	if (!ranges && ready())
		return 2;
	/* So options are read before there is a fork, and not by this thread,
	 * which has no ring for its notes yet. */
	if (pthread_create(&thread, NULL, begin_range, NULL) ||
	    pthread_join(thread, NULL))
		return 2;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, ranges ? begin_threads : ask,
				   NULL))
			return 2;
	for (int i = 0; i < (visits ? VISITS : FORKS) && !status; i++)
		if (visits)
			dl_iterate_phdr(fork_inside, &status);
		else
			status = fork_one(ranges ? BEGINS : LOOKS);
	return status != 0;
}

static void *ask_too_much(void *result)
{
	CUdeviceptr ptr;

	cuCtxSetCurrent(context);
	*(CUresult *)result = cuMemAlloc(&ptr, (size_t)1 << 40);
	return NULL;
}

static int small(void)
{
	CUresult result = CUDA_SUCCESS;
	pthread_attr_t attr;
	pthread_t thread;
	CUdeviceptr ptr;

	if (ready() || cuMemAlloc(&ptr, 1000) || pthread_attr_init(&attr) ||
	    pthread_attr_setstacksize(&attr, STACK) ||
	    pthread_create(&thread, &attr, ask_too_much, &result))
		return 2;
	pthread_join(thread, NULL);
	return result != CUDA_ERROR_OUT_OF_MEMORY;
}

int main(int argc, char **argv)
{
	int status = 2;

	if (argc == 2 && !strcmp(argv[1], "stacks"))
		status = forks(0, 0);
	else if (argc == 2 && !strcmp(argv[1], "visit"))
		status = forks(0, 1);
	else if (argc == 2 && !strcmp(argv[1], "ranges"))
		status = forks(1, 0);
	else if (argc == 2 && !strcmp(argv[1], "small"))
		status = small();
	fflush(NULL);
	_exit(status);
}
