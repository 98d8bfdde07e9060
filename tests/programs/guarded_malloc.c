/* A program with an allocator of its own that asks CUDA for memory while it
 * holds its lock, as one does whose arenas are of pinned or managed memory.
 * Says "asks" once it has begun, and ends when its input does. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cuda.h>

#define SEEN __attribute__((visibility("default")))
#define MIB  ((size_t)1 << 20)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *ptr, size_t size);
extern void __libc_free(void *ptr);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int depth;

static void enter(void)
{
	if (!depth++)
		pthread_mutex_lock(&lock);
}

static void leave(void)
{
	if (!--depth)
		pthread_mutex_unlock(&lock);
}

SEEN void *malloc(size_t size)
{
	void *ptr;

	enter();
	ptr = __libc_malloc(size);
	leave();
	return ptr;
}

SEEN void *calloc(size_t count, size_t size)
{
	void *ptr;

	enter();
	ptr = __libc_calloc(count, size);
	leave();
	return ptr;
}

SEEN void *realloc(void *ptr, size_t size)
{
	enter();
	ptr = __libc_realloc(ptr, size);
	leave();
	return ptr;
}

SEEN void free(void *ptr)
{
	enter();
	__libc_free(ptr);
	leave();
}

static _Atomic bool ends;
static CUcontext context;

static void *arenas_ask(void *unused)
{
	CUdeviceptr plain, managed;

	cuCtxSetCurrent(context);
	for (size_t i = 0; !ends; i++) {
		enter();
		if (cuMemAlloc(&plain, (20 + i % 64) * MIB) ||
		    cuMemFree(plain) ||
		    cuMemAllocManaged(&managed, MIB, CU_MEM_ATTACH_GLOBAL) ||
		    cuMemFree(managed))
			_exit(1);
		leave();
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	CUdeviceptr held;
	char byte;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxSetCurrent(context) || cuMemAlloc(&held, MIB) ||
	    pthread_create(&thread, NULL, arenas_ask, NULL))
		return 1;
	puts("asks");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	ends = true;
	pthread_join(thread, NULL);
	return 0;
}
