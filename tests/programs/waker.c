/* Threads rest, and work that they queue then waits for their next call.
 * Usage: waker THREADS
 * All threads use one context of device 0. Each thread frees blocks, rests with
 * the others, queues work that lasts until it has queued more in another
 * stream, and checks what it kept. This goes on until the standard input ends.
 * Prints "rounds N wrong N errors N". */
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 4, BYTES = 5000, THREADS_MAX = 16, REST_US = 3000 };

static CUcontext context;
static pthread_barrier_t barrier;
static atomic_int ended, over;
static atomic_long rounds, wrong, errors;

struct waker {
	CUstream first, second;
	CUdeviceptr kept, blocks[BLOCKS];
	atomic_int woken;
	unsigned int seed;
};

static void note(CUresult result)
{
	if (result)
		errors++;
}

static void sleep_until_woken(void *arg)
{
	struct waker *waker = arg;

	while (!waker->woken)
		usleep(100);
}

static void round_run(struct waker *waker, int value)
{
	unsigned char byte = 0;

	for (int i = 0; i < BLOCKS; i++)
		note(cuMemAlloc(
			&waker->blocks[i],
			BYTES * (size_t)(1 + rand_r(&waker->seed) % 9)));
	for (int i = 0; i < BLOCKS; i++)
		note(cuMemsetD8Async(waker->blocks[i], 0xee, BYTES,
				     waker->first));
	note(cuMemsetD8Async(waker->kept, (unsigned char)value, BYTES,
			     waker->first));
	note(cuStreamSynchronize(waker->first));
	for (int i = 0; i < BLOCKS; i++)
		note(cuMemFree(waker->blocks[i]));
	pthread_barrier_wait(&barrier);
	usleep((unsigned int)rand_r(&waker->seed) % REST_US);
	waker->woken = 0;
	note(cuLaunchHostFunc(waker->first, sleep_until_woken, waker));
	usleep((unsigned int)rand_r(&waker->seed) % REST_US);
	note(cuMemcpyDtoHAsync(&byte, waker->kept, 1, waker->second));
	waker->woken = 1;
	note(cuStreamSynchronize(waker->second));
	note(cuStreamSynchronize(waker->first));
	wrong += byte != value;
}

/* All threads rest at the same time. */
static int all_are_over(void)
{
	/* NOLINTNEXTLINE(bugprone-posix-return): that is -1 */
	if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
		over = ended;
	pthread_barrier_wait(&barrier);
	return over;
}

static void *waker_run(void *arg)
{
	struct waker waker = {.seed = (unsigned int)(size_t)arg + 1};

	note(cuCtxSetCurrent(context));
	note(cuStreamCreate(&waker.first, CU_STREAM_NON_BLOCKING));
	note(cuStreamCreate(&waker.second, CU_STREAM_NON_BLOCKING));
	note(cuMemAlloc(&waker.kept, BYTES));
	while (!all_are_over())
		round_run(&waker, (int)(rounds++ % 200));
	note(cuMemFree(waker.kept));
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[THREADS_MAX];
	char byte;

	if (count > THREADS_MAX || cuInit(0) ||
	    pthread_barrier_init(&barrier, NULL, (unsigned int)count) ||
	    cuDevicePrimaryCtxRetain(&context, 0))
		return 1;
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, waker_run,
				   (void *)(size_t)i))
			return 1;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	ended = 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("rounds %ld wrong %ld errors %ld\n", rounds, wrong, errors);
	return wrong || errors;
}
