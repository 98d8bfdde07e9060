/* Ends in the way that is named, with blocks that it never freed. Each way ends
 * with status 7, except for one that stays until it is killed. */
#define __CUDA_API_VERSION_INTERNAL
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

enum { STATUS = 7, BLOCK = 5000, THREADS = 4 };

static atomic_int turning;

static void *turn(void *unused)
{
	void *ptr = NULL;

	(void)unused;
	for (turning++;; cudaFree(ptr))
		cudaMalloc(&ptr, BLOCK);
	return NULL;
}

/* Starts threads that allocate and free until the process ends. */
static void threads_turn(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, turn, NULL))
			exit(1);
	while (turning < THREADS)
		usleep(100);
}

static void *thread_exits(void *unused)
{
	void *ptr;

	(void)unused;
	cudaMalloc(&ptr, BLOCK);
	exit(STATUS);
}

static void frees_at_exit(void)
{
	void *ptr = NULL;

	cudaMalloc(&ptr, BLOCK);
	cudaFree(ptr);
	puts("freed at exit");
	fflush(stdout);
}

static int leave(const char *how)
{
	pthread_t thread;

	if (!strcmp(how, "exit"))
		exit(STATUS);
	if (!strcmp(how, "_exit"))
		_exit(STATUS);
	if (!strcmp(how, "quick_exit"))
		quick_exit(STATUS);
	if (!strcmp(how, "thread")) {
		pthread_create(&thread, NULL, thread_exits, NULL);
		pthread_join(thread, NULL);
	}
	if (!strcmp(how, "busy")) {
		threads_turn();
		exit(STATUS);
	}
	if (!strcmp(how, "stay")) {
		threads_turn();
		puts("stays");
		fflush(stdout);
		pause();
	}
	if (!strcmp(how, "busy_exit")) {
		threads_turn();
		_exit(STATUS);
	}
	return STATUS;
}

int main(int argc, char **argv)
{
	void *ptr, *kept;

	if (argc != 2 || atexit(frees_at_exit) || cudaMalloc(&ptr, BLOCK) ||
	    cudaMalloc(&kept, BLOCK) || cudaFree(ptr))
		return 1;
	puts("leaves");
	fflush(stdout);
	return leave(argv[1]);
}
