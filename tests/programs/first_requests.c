/* Two threads make the process's first requests. One of them is in a
 * constructor, where it has the loader's lock.
 * Usage: first_requests LIBRARY [TOGETHER]   the library of that constructor
 * Without TOGETHER the constructor waits until the other thread waits, or has
 * been served, before it makes its request. Prints "served". */
#include <cuda.h>
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
static sem_t ready, go;
static atomic_int failed;
static atomic_int other; /* id of the other thread; -1: it is served */
static bool together;

__attribute__((visibility("default"))) void in_constructor(void);

static void check(int result)
{
	if (result)
		failed = 1;
}

static void request(void)
{
	CUdeviceptr block;

	check(cuMemAlloc(&block, SIZE));
	check(cuMemFree(block));
}

static void *other_run(void *unused)
{
	check(cuCtxSetCurrent(context));
	sem_post(&ready);
	sem_wait(&go);
	other = gettid();
	request();
	other = -1;
	return unused;
}

/* Whether the thread sleeps or has ended. */
static bool waits(int thread)
{
	char path[64], text[256] = "";
	bool ended;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	file = fopen(path, "r");
	if (!file)
		return true;
	ended = !fgets(text, sizeof(text), file);
	fclose(file);
	return ended || strstr(text, ") S ");
}

void in_constructor(void)
{
	sem_post(&go);
	while (!together && (!other || (other > 0 && !waits(other))))
		sched_yield();
	request();
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *library;

	if (argc < 2)
		return 2;
	alarm(60); /* a longer run counts as a hang */
	together = argc > 2;
	sem_init(&ready, 0, 0);
	sem_init(&go, 0, 0);
	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&context, 0));
	check(cuCtxSetCurrent(context));
	check(pthread_create(&thread, NULL, other_run, NULL));
	sem_wait(&ready);
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	check(!library);
	check(pthread_join(thread, NULL));
	if (library)
		dlclose(library);
	puts(failed ? "failed" : "served");
	return failed;
}
