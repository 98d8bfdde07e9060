/* Threads hand blocks to each other: one allocates and fills a block, another
 * checks and frees it. Each thread ends after some rounds and another takes its
 * place, until the standard input ends. Then all that is left is freed.
 * Usage: relay THREADS ROUNDS   ROUNDS is the least for each place
 * Prints "rounds N wrong N errors N freed N own N": all frees, and those by the
 * thread that had allocated the block. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PLACES = 24, THREADS_MAX = 16, LIFE = 50, PROBE = 256 };

struct held {
	void *ptr;
	size_t size;
	int value, thread;
};

static struct held *_Atomic places[PLACES];
static atomic_int ended, numbers;
static atomic_long rounds, wrong, errors, freed, own;
static int rounds_wanted;

static void note(cudaError_t result)
{
	if (result)
		errors++;
}

static struct held *take(unsigned int *seed, int thread)
{
	static const size_t sizes[] = {300, 4096, 5000, 70000, 1 << 20};
	struct held *held = calloc(1, sizeof(*held));

	if (!held)
		exit(1);
	held->size = sizes[rand_r(seed) % 5];
	held->value = rand_r(seed) % 200;
	held->thread = thread;
	if (cudaMalloc(&held->ptr, held->size)) {
		errors++;
		held->ptr = NULL;
		return held;
	}
	note(cudaMemset(held->ptr, held->value, PROBE));
	note(cudaDeviceSynchronize());
	return held;
}

static void give(struct held *held, int thread)
{
	unsigned char bytes[PROBE];

	if (!held)
		return;
	if (held->ptr) {
		note(cudaMemcpy(bytes, held->ptr, PROBE,
				cudaMemcpyDeviceToHost));
		for (int i = 0; i < PROBE; i++)
			if (bytes[i] != held->value) {
				wrong++;
				break;
			}
		note(cudaFree(held->ptr));
		freed++;
		own += held->thread == thread;
	}
	free(held);
}

static void *live(void *unused)
{
	int thread = ++numbers;
	unsigned int seed = (unsigned int)thread;

	(void)unused;
	for (int round = 0; round < LIFE; round++, rounds++)
		give(atomic_exchange(&places[rand_r(&seed) % PLACES],
				     take(&seed, thread)),
		     thread);
	return NULL;
}

/* Runs threads one after the other in one place. */
static void *lives(void *unused)
{
	pthread_t thread;

	(void)unused;
	for (int done = 0; done < rounds_wanted || !ended; done += LIFE) {
		if (pthread_create(&thread, NULL, live, NULL))
			exit(1);
		pthread_join(thread, NULL);
	}
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
	if (count > THREADS_MAX)
		return 1;
	note(cudaFree(NULL));
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, lives, NULL))
			return 1;
	input_await();
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < PLACES; i++)
		give(places[i], 0);
	/* A call after the last free, so that mnm can do what is left to do. */
	note(cudaFree(NULL));
	printf("rounds %ld wrong %ld errors %ld freed %ld own %ld\n", rounds,
	       wrong, errors, freed, own);
	return wrong || errors;
}
