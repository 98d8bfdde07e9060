/* Wall time of an allocation and its free, as a program without a pool makes
 * them: ns a pair on one line a kind of work. Knows nothing of mnm. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cuda_runtime_api.h>

enum { PAIRS = 50000, LIVE = 500, SIZES = 64 };

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int check(cudaError_t res)
{
	if (res)
		fprintf(stderr, "alloc_pairs: %s\n", cudaGetErrorString(res));
	return res;
}

/* Allocates and frees one size, nothing else live. */
static int one_size(void)
{
	void *ptr;

	for (int i = 0; i < PAIRS; i++)
		if (check(cudaMalloc(&ptr, 1 << 20)) || check(cudaFree(ptr)))
			return 1;
	return 0;
}

/* Replaces a random one of LIVE blocks by one of SIZES sizes. */
static int many_sizes(void)
{
	static void *live[LIVE];
	unsigned int random = 1;

	for (int i = 0; i < PAIRS; i++) {
		void **slot;

		random = random * 1664525 + 1013904223;
		slot = &live[(random >> 8) % LIVE];
		if (check(cudaFree(*slot)) ||
		    check(cudaMalloc(slot, ((random >> 20) % SIZES + 1) << 12)))
			return 1;
	}
	for (int i = 0; i < LIVE; i++) {
		if (check(cudaFree(live[i])))
			return 1;
		live[i] = NULL;
	}
	return 0;
}

static int timed(const char *name, int (*work)(void))
{
	double start;

	if (work()) /* warm */
		return 1;
	start = seconds();
	if (work())
		return 1;
	printf("%s %.1f\n", name, (seconds() - start) * 1e9 / PAIRS);
	return 0;
}

int main(void)
{
	return timed("one_size", one_size) || timed("many_sizes", many_sizes);
}
