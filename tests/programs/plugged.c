/* Programs that have to print the same, and end in the same way, with the pools
 * of plug-ins under them. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <cuda.h>

enum { BLOCKS = 20, PAIRS = 1000 };

static CUdeviceptr blocks[BLOCKS];

static int context_begin(void)
{
	CUcontext context;
	CUdevice device;

	return cuInit(0) || cuDeviceGet(&device, 0) ||
	       cuDevicePrimaryCtxRetain(&context, device) ||
	       cuCtxSetCurrent(context);
}

static int blocks_take(void)
{
	int wrong = 0;

	for (int i = 0; i < BLOCKS; i++)
		wrong += cuMemAlloc(&blocks[i], (size_t)(i + 1) * 5000) != 0;
	return wrong;
}

static int blocks_free(void)
{
	int wrong = 0;

	for (int i = 0; i < BLOCKS; i++)
		wrong += cuMemFree(blocks[i]) != 0;
	return wrong;
}

/* From the first request on. */
static int keeps_errno(void)
{
	int wrong = 0;

	errno = EXDEV;
	for (int i = 0; i < 3; i++) {
		wrong += blocks_take();
		printf("taken: errno %d\n", errno);
		wrong += blocks_free();
		printf("freed: errno %d\n", errno);
	}
	return wrong;
}

static void end(void)
{
	int wrong = blocks_free() + blocks_take();

	printf("at the end: %d wrong\n", wrong + blocks_free());
}

/* As an object with a destructor does that was made before the first
 * request. */
static int frees_at_its_end(void)
{
	return atexit(end) || blocks_take();
}

static void *pairs_run(void *unused)
{
	CUdeviceptr block;

	prctl(PR_SET_NAME, "worker");
	context_begin();
	for (int i = 0; i < PAIRS; i++)
		cuMemAlloc(&block, 5000), cuMemFree(block);
	return unused;
}

static void thread_print(void)
{
	char name[16];

	prctl(PR_GET_NAME, name);
	printf("the last thread is %s\n",
	       strncmp(name, "mnm-", 4) ? "the program's" : name);
}

/* The last thread of a process runs the exit handlers. */
static int main_leaves(void)
{
	pthread_t thread;

	if (atexit(thread_print) || blocks_take() ||
	    pthread_create(&thread, NULL, pairs_run, NULL))
		return 1;
	pthread_exit(NULL);
}

static const struct {
	const char *name;
	int (*run)(void);
} rows[] = {
	{"keeps_errno", keeps_errno},
	{"frees_at_its_end", frees_at_its_end},
	{"main_leaves", main_leaves},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (argc > 1 && !strcmp(argv[1], rows[i].name))
			return context_begin() || rows[i].run();
	fputs("plugged: one of the names in its source\n", stderr);
	return 2;
}
