/* Makes pairs of an allocation and a free whose sizes are near each other and
 * hardly repeat, one at a time, so that larger idle blocks serve them. Counts
 * the locks that are taken meanwhile.
 * Usage: roomy_pairs COUNT WAY
 * WAY: plain
 *      async  in a stream
 *      mixed  plain, and the larger block was in a stream before
 *      ended  plain, after contexts that ended with such a block each
 *      elsewhere  plain, after such blocks were freed with another device
 *             current
 *      after  plain, after such blocks were freed by threads that end then
 *      later  two pairs, in a thread that comes after one on another device
 * Prints "locks N odd N errors N reserved N"; odd: addresses that no block
 * begins at; reserved: MiB that CUDA's pool is said to have. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

enum {
	ENDED = 12,
	ELSEWHERE = 50,
	DRIFT = 40,
	LARGEST = 64 + DRIFT,
	MIB = 1 << 20,
	PAGE = 4096
};

static long locks, odd, errors;
static int counting;
static cudaStream_t stream;

/* Replaces libc's function, for the libraries as well. */
__attribute__((visibility("default"))) int pthread_mutex_lock(
	pthread_mutex_t *mutex)
{
	static int (*next)(pthread_mutex_t *);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	locks += counting;
	return next(mutex);
}

static void pair(size_t size, int async)
{
	void *block = NULL;

	errors += async ? cudaMallocAsync(&block, size, stream)
			: cudaMalloc(&block, size);
	odd += (uintptr_t)block % 256 != 0;
	errors += async ? cudaFreeAsync(block, stream) : cudaFree(block);
}

/* Sizes that grow, as of a job that would take far more than is live if all
 * its blocks were kept. */
static void drift(int async)
{
	for (int i = 0; i <= DRIFT; i++) {
		pair((size_t)(LARGEST - DRIFT + i) * MIB, async);
		errors += cudaDeviceSynchronize();
	}
}

static size_t size_at(int i)
{
	return (size_t)(LARGEST - 1 - i % 8) * MIB + (size_t)(i % 5) * PAGE;
}

static void pairs(int count, const char *way)
{
	int mixed = !strcmp(way, "mixed"), async = !strcmp(way, "async");

	for (int i = 0; i < count; i++) {
		if (mixed) { /* all may have what was freed in the stream */
			pair((size_t)LARGEST * MIB, 1);
			errors += cudaDeviceSynchronize();
		}
		pair(size_at(i), async);
	}
}

static void context_ends(void)
{
	void *block;

	drift(0);
	errors += cudaMalloc(&block, (size_t)(LARGEST - 8) * MIB);
	errors += cudaDeviceReset();
}

static void *frees(void *block)
{
	pair(PAGE, 0); /* from now on it keeps what it frees */
	errors += cudaFree(block);
	return NULL;
}

static void freed_by_threads(void)
{
	pthread_t thread;
	void *block;

	drift(0);
	for (int i = 0; i < ELSEWHERE; i++) {
		errors += cudaMalloc(&block, size_at(i));
		errors += pthread_create(&thread, NULL, frees, block);
		errors += pthread_join(thread, NULL);
	}
}

static void freed_elsewhere(void)
{
	void *block;

	errors += cudaSetDevice(1);
	pair(PAGE, 0);
	errors += cudaSetDevice(0);
	drift(0);
	for (int i = 0; i < ELSEWHERE; i++) {
		errors += cudaMalloc(&block, size_at(i));
		errors += cudaSetDevice(1);
		errors += cudaFree(block);
		errors += cudaSetDevice(0);
	}
}

static void *drifts_elsewhere(void *unused)
{
	errors += cudaSetDevice(1);
	drift(0);
	return unused;
}

static void *two_pairs(void *unused)
{
	errors += cudaSetDevice(0);
	pair(40 * MIB, 0);
	errors += cudaDeviceSynchronize();
	pair(30 * MIB, 0);
	return unused;
}

static void thread_run(void *(*run)(void *))
{
	pthread_t thread;

	errors += pthread_create(&thread, NULL, run, NULL);
	errors += pthread_join(thread, NULL);
}

static void measured(int count, const char *way)
{
	for (int i = 0; i < ENDED && !strcmp(way, "ended"); i++)
		context_ends();
	if (!strcmp(way, "elsewhere"))
		freed_elsewhere();
	if (!strcmp(way, "after"))
		freed_by_threads();
	errors += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	drift(!strcmp(way, "async"));
	pairs(100, way);
	counting = 1;
	pairs(count, way);
	counting = 0;
}

static cudaMemPool_t pool_that_keeps(void)
{
	unsigned long long all = UINT64_MAX;
	cudaMemPool_t pool;

	errors += cudaDeviceGetDefaultMemPool(&pool, 0);
	errors += cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
					  &all);
	return pool;
}

int main(int argc, char **argv)
{
	unsigned long long reserved;
	cudaMemPool_t pool;

	if (argc != 3)
		return 2;
	pool = pool_that_keeps();
	if (!strcmp(argv[2], "later")) {
		thread_run(drifts_elsewhere);
		thread_run(two_pairs);
	} else {
		measured(atoi(argv[1]), argv[2]);
	}
	errors += cudaMemPoolGetAttribute(
		pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
	printf("locks %ld odd %ld errors %ld reserved %llu\n", locks, odd,
	       errors, reserved / MIB);
	return errors != 0;
}
