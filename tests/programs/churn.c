/* Threads allocate, fill, check and free blocks of a few sizes until the
 * standard input ends. Then they free all that is left.
 * Usage: churn THREADS ROUNDS   each thread makes at least ROUNDS rounds
 * Prints "rounds N wrong N errors N". */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 12, SIZE_MAX_BYTES = 40000, THREADS_MAX = 64 };

static atomic_int ended;
static atomic_long rounds, wrong, errors;
static int rounds_wanted, devices;

struct held {
	void *ptr;
	size_t size;
	int value;
};

static void note(cudaError_t result)
{
	if (result)
		errors++;
}

static void take(struct held *held, unsigned int *seed, int value)
{
	static const size_t sizes[] = {100, 4096, 5000, 12288, SIZE_MAX_BYTES};

	held->size = sizes[rand_r(seed) % 5];
	held->value = value;
	if (cudaMalloc(&held->ptr, held->size)) {
		errors++;
		held->ptr = NULL;
		return;
	}
	note(cudaMemsetAsync(held->ptr, value, held->size,
			     cudaStreamPerThread));
}

static int all(const unsigned char *bytes, size_t size, int value)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != value)
			return 0;
	return 1;
}

/* The whole block must be as it was filled, whatever its former owner did. */
static void give(struct held *held)
{
	unsigned char bytes[SIZE_MAX_BYTES];

	if (!held->ptr)
		return;
	note(cudaMemcpyAsync(bytes, held->ptr, held->size,
			     cudaMemcpyDeviceToHost, cudaStreamPerThread));
	note(cudaStreamSynchronize(cudaStreamPerThread));
	if (!all(bytes, held->size, held->value))
		wrong++;
	/* This fill is still running when the block is freed. */
	note(cudaMemsetAsync(held->ptr, 0xee, held->size, cudaStreamPerThread));
	note(cudaFree(held->ptr));
	held->ptr = NULL;
}

static void *churn(void *arg)
{
	struct held held[BLOCKS] = {{NULL, 0, 0}};
	int number = (int)(size_t)arg;
	unsigned int seed = (unsigned int)number + 1;
	struct held *each;

	note(cudaSetDevice(number % devices));
	for (int round = 0; round < rounds_wanted || !ended; round++) {
		each = &held[rand_r(&seed) % BLOCKS];
		give(each);
		take(each, &seed, (number * 31 + round) % 200);
		rounds++;
	}
	for (int i = 0; i < BLOCKS; i++)
		give(&held[i]);
	return NULL;
}

static void input_await(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	ended = 1;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[THREADS_MAX];

	rounds_wanted = argc > 2 ? atoi(argv[2]) : 0;
	if (count > THREADS_MAX || cudaGetDeviceCount(&devices))
		return 1;
	note(cudaFree(NULL));
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, churn, (void *)(size_t)i))
			return 1;
	input_await();
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	/* A call after the last free, so that mnm can do what is left to do. */
	note(cudaFree(NULL));
	printf("rounds %ld wrong %ld errors %ld\n", rounds, wrong, errors);
	return wrong || errors;
}
