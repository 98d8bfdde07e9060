/* How long a program waits for 100 buffers that mnm has idle: by one call of
 * mnm_alloc_batch, and by 100 of cuMemAlloc. Prints the medians in microseconds
 * as one line of JSON. Each round frees the buffers again, which is not
 * timed. */
#include <mnm/mnm.h>
#include <stdio.h>
#include <stdlib.h>

#include "crew.h"
#include "fail.h"

enum { BUFFERS = 100, ROUNDS = 2001, SIZES = 10, UNIT = 4096 };

static size_t sizes[BUFFERS];
static CUdeviceptr ptrs[BUFFERS];

static void must(CUresult result, const char *what)
{
	if (result)
		fail(what, *mnm_error() ? mnm_error() : "a CUDA error");
}

static void at_once(void)
{
	must(mnm_alloc_batch(BUFFERS, sizes, ptrs), "mnm_alloc_batch");
}

static void one_by_one(void)
{
	for (size_t i = 0; i < BUFFERS; i++)
		must(cuMemAlloc(&ptrs[i], sizes[i]), "cuMemAlloc");
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median_us(void (*take)(void))
{
	static double took[ROUNDS];
	double start;

	for (size_t i = 0; i < ROUNDS; i++) {
		start = seconds_now();
		take();
		took[i] = (seconds_now() - start) * 1e6;
		must(mnm_free_batch(BUFFERS, ptrs), "mnm_free_batch");
	}
	qsort(took, ROUNDS, sizeof(*took), compare);
	return took[ROUNDS / 2];
}

int main(void)
{
	CUcontext context;
	double batch, single;

	for (size_t i = 0; i < BUFFERS; i++)
		sizes[i] = (1 + i % SIZES) * UNIT;
	must(cuInit(0), "cuInit");
	must(cuDevicePrimaryCtxRetain(&context, 0), "the primary context");
	must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
	batch = median_us(at_once);
	single = median_us(one_by_one);
	printf("{\"batch_us\": %.3f, \"single_us\": %.3f}\n", batch, single);
	return 0;
}
