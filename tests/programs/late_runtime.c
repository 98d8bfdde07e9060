/* A thread's first call of the runtime frees a block of the driver's. Meanwhile
 * another thread is in a constructor, where it has the loader's lock and makes
 * a context. The program's argument is the library of that constructor. Prints
 * "ended". */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 5000 };

static CUcontext context;
static sem_t warm, go;
static atomic_int about; /* id of the runtime's caller; -1: it is back */
static atomic_int failed;

__attribute__((visibility("default"))) void in_constructor(void);

static void check(int result)
{
	failed |= result;
}

static void *late(void *unused)
{
	CUdeviceptr block;

	check(cuCtxSetCurrent(context));
	check(cuMemAlloc(&block, SIZE));
	check(cuMemFree(block));
	check(cuMemAlloc(&block, SIZE));
	sem_post(&warm);
	sem_wait(&go);
	about = gettid();
	check(cudaFree((void *)block));
	about = -1;
	return unused;
}

/* Returns whether the thread sleeps or has ended. */
static int waits(int thread)
{
	char path[64], text[256] = "";
	bool ended;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	if (!file)
		return 1;
	ended = !fgets(text, sizeof(text), file);
	fclose(file);
	return ended || strstr(text, ") S ");
}

void in_constructor(void)
{
	CUcontext second;

	sem_post(&go);
	while (!about || (about > 0 && !waits(about)))
		sched_yield();
	check(cuCtxCreate(&second, NULL, 0, 0));
}

int main(int argc, char **argv)
{
	pthread_t thread;

	check(argc != 2);
	alarm(60); /* a longer run counts as a hang */
	check(sem_init(&warm, 0, 0));
	check(sem_init(&go, 0, 0));
	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&context, 0));
	check(cuCtxSetCurrent(context));
	check(pthread_create(&thread, NULL, late, NULL));
	sem_wait(&warm);
	check(!dlopen(argv[1], RTLD_NOW));
	pthread_join(thread, NULL);
	puts("ended");
	return failed;
}
