/* Makes pairs of an allocation and a free on a thread that is alone, before
 * and after other threads, streams and contexts have come and gone.
 * Usage: alone_again THREADS STREAMS CONTEXTS
 * Prints "before N after N errors N": how many locks ten thousand pairs take.
 * The second count begins a thousand requests after the others have gone. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda.h>

CUresult cuCtxCreate_v2(CUcontext *out, unsigned int flags, CUdevice device);

enum { MOST = 16, PAIRS = 10000, AGAIN = 1000, TURNS = 2000, LIVE = 16 };

static const size_t sizes[] = {4096, 65536, 1 << 20, 3 << 20};

static CUcontext context;
static CUdevice device;
static long locks, errors;
static __thread int counting;

/* Replaces libc's function, for the libraries as well. */
int __attribute__((visibility("default")))
pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	if (counting)
		locks++;
	return next(mutex);
}

static void check(CUresult res)
{
	if (res)
		__atomic_add_fetch(&errors, 1, __ATOMIC_RELAXED);
}

/* Makes pairs with work in a stream, or without work if it is NULL. */
static void make_pairs(int count, CUstream stream)
{
	CUdeviceptr addr;

	for (int i = 0; i < count; i++) {
		check(cuMemAlloc(&addr, sizes[i % 4]));
		if (stream)
			check(cuMemsetD8Async(addr, 1, 256, stream));
		check(cuMemFree(addr));
	}
}

static long counted(void)
{
	long before = locks;

	counting = 1;
	make_pairs(PAIRS, NULL);
	counting = 0;
	return locks - before;
}

static void *thread_main(void *unused)
{
	check(cuCtxSetCurrent(context));
	make_pairs(TURNS, NULL);
	return unused;
}

static void threads_come_and_go(int count)
{
	pthread_t threads[MOST];

	for (int i = 0; i < count; i++)
		check(pthread_create(&threads[i], NULL, thread_main, NULL) !=
		      0);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void streams_come_and_go(int count)
{
	CUstream streams[MOST] = {NULL};

	for (int i = 0; i < count; i++)
		check(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
	for (int i = 0; count && i < TURNS; i++)
		make_pairs(1, streams[i % count]);
	for (int i = 0; i < count; i++)
		check(cuStreamDestroy(streams[i]));
}

static void contexts_come_and_go(int count)
{
	CUcontext others[MOST];

	for (int i = 0; i < count; i++) {
		check(cuCtxCreate_v2(&others[i], 0, device));
		make_pairs(TURNS, CU_STREAM_LEGACY);
	}
	check(cuCtxSetCurrent(context));
	make_pairs(TURNS, CU_STREAM_LEGACY);
	for (int i = 0; i < count; i++)
		check(cuCtxDestroy(others[i]));
	check(cuCtxSetCurrent(context));
}

int main(int argc, char **argv)
{
	int counts[3] = {0};
	CUdeviceptr live[LIVE];
	long before;

	for (int i = 0; i < 3 && argc == 4; i++)
		counts[i] = atoi(argv[i + 1]);
	if (argc != 4 || counts[0] > MOST || counts[1] > MOST ||
	    counts[2] > MOST || cuInit(0) || cuDeviceGet(&device, 0) ||
	    cuDevicePrimaryCtxRetain(&context, device) ||
	    cuCtxSetCurrent(context))
		return 2;
	for (int i = 0; i < LIVE; i++)
		check(cuMemAlloc(&live[i], sizes[i % 4]));
	for (int i = 0; i < LIVE; i++)
		check(cuMemFree(live[i]));
	make_pairs(AGAIN, CU_STREAM_LEGACY);
	before = counted();
	threads_come_and_go(counts[0]);
	streams_come_and_go(counts[1]);
	contexts_come_and_go(counts[2]);
	make_pairs(AGAIN, CU_STREAM_LEGACY);
	printf("before %ld after %ld errors %ld\n", before, counted(), errors);
	return errors != 0;
}
