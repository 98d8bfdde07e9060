/* A context ends in one thread, and before that call has returned, another one
 * is given its addresses for memory that no pool serves. Prints "same" if they
 * are the same, and then the results of a fill, of a query, and of the free.
 * Usage: taken_over pitch|whole   how the other thread asks for memory */
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 6 << 20, ROW = 1 << 20 };

static void *end(void *context)
{
	cuCtxDestroy_v2(context);
	return NULL;
}

static CUresult take(const char *how, CUdeviceptr *addr)
{
	size_t pitch;

	if (!strcmp(how, "pitch"))
		return cuMemAllocPitch_v2(addr, &pitch, ROW, BYTES / ROW, 16);
	return cuMemAlloc_v2(addr, BYTES);
}

int main(int argc, char **argv)
{
	CUdeviceptr first, second, addr, base;
	CUctxCreateParams params = {0};
	CUcontext primary, context;
	size_t size = 0;
	pthread_t thread;

	if (argc != 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&primary, 0) ||
	    cuCtxCreate_v4(&context, &params, 0, 0) ||
	    cuMemAlloc_v2(&first, BYTES) || cuMemAlloc_v2(&second, BYTES) ||
	    cuMemFree_v2(first) || cuCtxSetCurrent(primary) ||
	    pthread_create(&thread, NULL, end, context))
		return 1;
	usleep(100000);
	if (take(argv[1], &addr))
		return 1;
	printf("%s", addr == first ? "same" : "other");
	printf(" %d", cuMemsetD8_v2(addr, 1, BYTES));
	printf(" %d", cuMemsetD8_v2(addr + BYTES - 1, 1, 1));
	printf(" %d", cuMemGetAddressRange_v2(&base, &size, addr + ROW));
	printf(" %d", base == addr && size == BYTES);
	printf(" %d\n", cuMemFree_v2(addr));
	pthread_join(thread, NULL);
	return 0;
}
