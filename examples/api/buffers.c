/* A program that takes part: it chooses its pool, asks for all buffers of a
 * step at once, and says when a step begins. It links to CUDA alone; without
 * mnm it does what it would do anyway. To build and to run it:
 *
 *	cc buffers.c $(pkg-config --cflags --libs mnm) \
 *		-I$CUDA_HOME/include -lcuda -o buffers
 *	mnm run -- ./buffers
 */
#include <mnm/mnm.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFERS = 16, STEPS = 100 };

static void must(CUresult result, const char *what)
{
	if (!result)
		return;
	fprintf(stderr, "buffers: %s: error %d\n", what, (int)result);
	exit(1);
}

/* Both ways give buffers that cuMemFree takes back. */
static void take(const size_t *sizes, CUdeviceptr *buffers)
{
	CUresult result = mnm_alloc_batch(BUFFERS, sizes, buffers);

	if (result != CUDA_ERROR_NOT_SUPPORTED) {
		must(result, mnm_error());
		return;
	}
	for (int i = 0; i < BUFFERS; i++)
		must(cuMemAlloc(&buffers[i], sizes[i]), "cuMemAlloc");
}

int main(void)
{
	CUdeviceptr buffers[BUFFERS];
	size_t sizes[BUFFERS];
	struct mnm_stats stats;
	CUcontext context;
	CUdevice device;

	must(cuInit(0), "cuInit");
	must(cuDeviceGet(&device, 0), "cuDeviceGet");
	must(cuDevicePrimaryCtxRetain(&context, device), "the context");
	must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
	if (mnm_init_pool(0, "vmm_pool"))
		printf("on its own: %s\n", mnm_error());
	mnm_name_work("buffers");
	for (int i = 0; i < BUFFERS; i++)
		sizes[i] = (size_t)(i + 1) << 16;
	for (int step = 0; step < STEPS; step++) {
		mnm_mark_iteration();
		take(sizes, buffers);
		for (int i = 0; i < BUFFERS; i++)
			must(cuMemFree(buffers[i]), "cuMemFree");
	}
	stats.size = sizeof(stats);
	if (!mnm_device_stats(0, &stats))
		printf("%llu requests in %llu steps, %llu of them from idle "
		       "memory\n",
		       (unsigned long long)stats.allocs,
		       (unsigned long long)stats.iterations,
		       (unsigned long long)stats.hits);
	return 0;
}
