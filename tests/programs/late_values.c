/* Frees a block while work that a value in memory holds back still uses it, and
 * takes another block of that size at once, for another stream.
 * Prints "right" if each piece of work meets what its own block has.
 * Usage: late_values value|texture MS
 *   value      the old work writes a value to its block
 *   texture    it reads its block through a texture
 *   MS         it waits until the new work is over, or for MS milliseconds */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "values.h"

enum { SIZE = 8192, OLD = 0xee, NEW = 0x11 };

static atomic_bool overtaken;
static atomic_uint *flag;

static void *linger(void *at_most_ms)
{
	for (int left = *(int *)at_most_ms; left > 0 && !overtaken; left--)
		usleep(1000);
	*flag = 1;
	return NULL;
}

/* Whether a copy of device memory consists of this byte. */
static bool is_all(CUdeviceptr memory, unsigned char byte)
{
	unsigned char found[SIZE], wanted[SIZE];

	check(cuMemcpyDtoH(found, memory, SIZE));
	memset(wanted, byte, SIZE);
	return !memcmp(found, wanted, SIZE);
}

static CUstream stream_new(void)
{
	CUstream stream;

	check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	return stream;
}

static CUdeviceptr flag_new(void)
{
	CUdeviceptr addr;
	void *pinned;

	check(cuMemHostAlloc(&pinned, sizeof(*flag),
			     CU_MEMHOSTALLOC_DEVICEMAP));
	check(cuMemHostGetDevicePointer(&addr, pinned, 0));
	flag = pinned;
	*flag = 0;
	return addr;
}

int main(int argc, char **argv)
{
	bool reads = argc > 1 && !strcmp(argv[1], "texture");
	int at_most_ms = argc > 2 ? atoi(argv[2]) : 0;
	CUstream before, after;
	CUdeviceptr block, shown;
	CUfunction kernel;
	pthread_t thread;
	CUcontext ctx;
	bool right;

	check(cuInit(0));
	check(cuDevicePrimaryCtxRetain(&ctx, 0));
	check(cuCtxSetCurrent(ctx));
	before = stream_new();
	after = stream_new();
	check(cuMemAlloc(&shown, 2 * SIZE));
	check(cuMemAlloc(&block, SIZE));
	check(cuMemsetD8(block, OLD, SIZE));
	kernel = show_find();
	check(cuStreamWaitValue32(before, flag_new(), 1,
				  CU_STREAM_WAIT_VALUE_GEQ));
	if (reads)
		show(kernel, shown, texture_of(block, SIZE), SIZE, before);
	else
		check(cuStreamWriteValue64(before, block + 64, OLD, 0));
	pthread_create(&thread, NULL, linger, &at_most_ms);
	check(cuMemFree(block));
	check(cuMemAlloc(&block, SIZE));
	check(cuMemsetD8Async(block, NEW, SIZE, after));
	check(cuStreamSynchronize(after));
	overtaken = true;
	check(cuStreamSynchronize(before));
	pthread_join(thread, NULL);
	right = is_all(block, NEW) && (!reads || is_all(shown, OLD));
	check(cuMemFree(block));
	puts(right ? "right" : "wrong");
	return 0;
}
