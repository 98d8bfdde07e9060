/* One stream is given slow work on blocks, which are freed meanwhile. Then
 * threads take these blocks, each for a stream of its own, all at the same
 * time. Prints "right" if each thread finds what it wrote. */
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 5000, OLD = 0xee, THREADS = 8, ROUNDS = 3, BLOCKS = 9 };

static _Atomic int failed, wrong;
static CUcontext context;
static CUstream first;
static pthread_barrier_t start;

static void check(CUresult result)
{
	if (result)
		failed++;
}

static void linger(void *arg)
{
	(void)arg;
	usleep(2000);
}

static CUstream stream_new(void)
{
	CUstream stream = NULL;

	check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	return stream;
}

static CUdeviceptr block_new(void)
{
	CUdeviceptr block = 0;

	check(cuMemAlloc(&block, SIZE));
	return block;
}

static void block_use(CUdeviceptr block, CUstream stream, int value)
{
	unsigned char found[SIZE], wanted[SIZE];

	check(cuMemsetD8Async(block, (unsigned char)value, SIZE, stream));
	check(cuStreamSynchronize(stream));
	/* Late work has run when this returns. */
	check(cuStreamSynchronize(first));
	check(cuMemcpyDtoHAsync(found, block, SIZE, stream));
	check(cuStreamSynchronize(stream));
	memset(wanted, value, SIZE);
	wrong += !!memcmp(found, wanted, SIZE);
	check(cuMemFree(block));
}

static void rounds(CUstream stream, CUdeviceptr block, int value)
{
	block_use(block, stream, value);
	for (int i = 0; i < ROUNDS; i++)
		block_use(block_new(), stream, value);
}

/* All threads start at the same time, each with a block of the first stream. */
static void *thread_main(void *arg)
{
	CUdeviceptr block;
	CUstream stream;

	check(cuCtxSetCurrent(context));
	stream = stream_new();
	block = block_new();
	pthread_barrier_wait(&start);
	rounds(stream, block, (int)(uintptr_t)arg);
	check(cuStreamDestroy(stream));
	return NULL;
}

/* Takes and frees blocks that have work in this stream, and are reused in its
 * order. */
static void blocks_spoil(CUstream stream)
{
	CUdeviceptr blocks[BLOCKS];

	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < BLOCKS; j++) {
			blocks[j] = block_new();
			check(cuLaunchHostFunc(stream, linger, NULL));
			check(cuMemsetD8Async(blocks[j], OLD, SIZE, stream));
		}
		for (int j = 0; j < BLOCKS; j++)
			check(cuMemFree(blocks[j]));
	}
}

int main(void)
{
	pthread_t threads[THREADS];

	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&context, 0));
	check(cuCtxSetCurrent(context));
	first = stream_new();
	pthread_barrier_init(&start, NULL, THREADS + 1);
	blocks_spoil(first);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, (void *)(i + 1));
	pthread_barrier_wait(&start);
	usleep(5000); /* so long the others may be held up */
	rounds(first, block_new(), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check(cuStreamDestroy(first));
	printf("%s\n", wrong ? "wrong" : "right");
	return !!failed;
}
