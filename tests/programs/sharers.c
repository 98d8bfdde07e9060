/* Threads share sizes, and then one of them is alone.
 * Usage: sharers OTHERS THREADS PAIRS LIVE KIB...
 * LIVE blocks are live at a time. OTHERS more contexts of the device exist.
 * Each thread makes PAIRS pairs of an allocation and a free, of each size in
 * turn. When all threads have done so, each makes as many again, in which the
 * calls of pthread_mutex_lock are counted. Once the other threads have ended,
 * the main thread makes 1,000 pairs, and then PAIRS more that are counted.
 * Prints "shared N alone N errors N": calls in a thousand pairs. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda.h>

/* Every driver has this form. The header declares only the newest one. */
extern CUresult cuCtxCreate_v2(CUcontext *made, unsigned int flags,
			       CUdevice device);

enum { THREADS_MAX = 64, LIVE_MAX = 64, SIZES_MAX = 64, ALONE = 1000 };

static CUcontext context;
static size_t sizes[SIZES_MAX];
static int size_count, pairs, live;
static atomic_long errors, locks;
static __thread long own_locks;
static pthread_barrier_t all;

/* Replaces libc's function, for the libraries as well. */
__attribute__((visibility("default"))) int pthread_mutex_lock(
	pthread_mutex_t *mutex)
{
	static int (*_Atomic next)(pthread_mutex_t *);

	if (!next)
		next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT,
							 "pthread_mutex_lock");
	own_locks++;
	return next(mutex);
}

/* Makes `live` requests at a time, and then as many frees. */
static void make_pairs(int count)
{
	CUdeviceptr held[LIVE_MAX];

	for (int i = 0; i < count; i += live) {
		for (int j = 0; j < live; j++)
			errors += cuMemAlloc(&held[j],
					     sizes[(i + j) % size_count]) != 0;
		for (int j = 0; j < live; j++)
			errors += cuMemFree(held[j]) != 0;
	}
}

/* Returns the number of locks in `pairs` pairs. */
static long counted(void)
{
	long before = own_locks;

	make_pairs(pairs);
	return own_locks - before;
}

static void *share(void *unused)
{
	errors += cuCtxSetCurrent(context) != 0;
	pthread_barrier_wait(&all);
	make_pairs(pairs);
	pthread_barrier_wait(&all);
	locks += counted();
	pthread_barrier_wait(&all); /* so that no thread's end is counted */
	return unused;
}

static void threads_run(int count)
{
	pthread_t threads[THREADS_MAX];

	pthread_barrier_init(&all, NULL, (unsigned int)count);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, share, NULL))
			exit(1);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&all);
}

static void arguments(int argc, char **argv, int *threads)
{
	bool complete = argc > 5;

	*threads = complete ? atoi(argv[2]) : 0;
	pairs = complete ? atoi(argv[3]) : 0;
	live = complete ? atoi(argv[4]) : 0;
	for (int i = 5; i < argc && size_count < SIZES_MAX; i++)
		sizes[size_count++] = (size_t)atol(argv[i]) << 10;
	if (*threads < 1 || *threads > THREADS_MAX || pairs < 1 || live < 1 ||
	    live > LIVE_MAX)
		exit(2);
}

static bool contexts_make(int others)
{
	CUdevice device;
	CUcontext other;

	if (cuInit(0) || cuDeviceGet(&device, 0) ||
	    cuDevicePrimaryCtxRetain(&context, device))
		return false;
	for (int i = 0; i < others; i++)
		if (cuCtxCreate_v2(&other, 0, device))
			return false;
	return !cuCtxSetCurrent(context);
}

int main(int argc, char **argv)
{
	int threads;
	long alone;

	arguments(argc, argv, &threads);
	if (!contexts_make(atoi(argv[1])))
		return 1;
	make_pairs(ALONE);
	threads_run(threads);
	make_pairs(ALONE);
	alone = counted();
	printf("shared %ld alone %ld errors %ld\n",
	       locks * 1000 / pairs / threads, alone * 1000 / pairs,
	       (long)errors);
	return errors != 0;
}
