/* A kernel of many blocks whose results do not depend on their order. Prints a
 * hash of the results, and how many threads were made while it ran.
 * Usage: many_blocks [BLOCKS] */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, ROUNDS = 2000 };

static unsigned made;

/* Replaces libc's function, for the libraries as well. */
extern "C" __attribute__((visibility("default"))) int pthread_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
	void *of) noexcept
{
	auto real =
		(decltype(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");

	__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
	return real(thread, attr, run, of);
}

__global__ void work(unsigned *to)
{
	unsigned at = blockIdx.x * blockDim.x + threadIdx.x, x = at;

	for (int i = 0; i < ROUNDS; i++)
		x = x * 1664525 + (x >> 16);
	to[at] = x;
}

int main(int argc, char **argv)
{
	unsigned blocks = argc > 1 ? atoi(argv[1]) : 100, count, hash = 0, *to;

	cudaMallocManaged(&to, blocks * THREADS * sizeof(*to));
	work<<<1, THREADS>>>(to); /* the stream has its own thread now */
	cudaDeviceSynchronize();
	count = made;
	work<<<blocks, THREADS>>>(to);
	if (cudaDeviceSynchronize())
		return EXIT_FAILURE;
	count = made - count;
	for (unsigned i = 0; i < blocks * THREADS; i++)
		hash = hash * 31 + to[i];
	printf("%08x %u\n", hash, count);
}
