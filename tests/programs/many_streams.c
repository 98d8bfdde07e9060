/* One stream is given slow work on blocks that are freed meanwhile; then
 * threads take these blocks, each for a stream of its own.
 * Prints "right" if each thread finds what it wrote. */
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 5000, OLD = 0xee, THREADS = 8, ROUNDS = 20, BLOCKS = 4 };

static _Atomic int failed, wrong;
static CUcontext context;
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

static void round_of(CUstream stream, int value)
{
	unsigned char found[SIZE], wanted[SIZE];
	CUdeviceptr block = block_new();

	check(cuMemsetD8Async(block, (unsigned char)value, SIZE, stream));
	check(cuMemcpyDtoHAsync(found, block, SIZE, stream));
	check(cuStreamSynchronize(stream));
	memset(wanted, value, SIZE);
	wrong += !!memcmp(found, wanted, SIZE);
	check(cuMemFree(block));
}

static void *thread_main(void *arg)
{
	CUstream stream;

	check(cuCtxSetCurrent(context));
	stream = stream_new();
	pthread_barrier_wait(&start);
	for (int i = 0; i < ROUNDS; i++)
		round_of(stream, (int)(uintptr_t)arg);
	check(cuStreamDestroy(stream));
	return NULL;
}

/* Blocks that were reused in this stream's order, and have work in it. */
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
	CUstream stream;

	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&context, 0));
	check(cuCtxSetCurrent(context));
	stream = stream_new();
	pthread_barrier_init(&start, NULL, THREADS);
	blocks_spoil(stream);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_main, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	check(cuStreamDestroy(stream));
	printf("%s\n", wrong ? "wrong" : "right");
	return !!failed;
}
