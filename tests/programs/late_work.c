/* Frees a block while work that writes to it still waits in a stream, and
 * takes another of that size at once, for another stream.
 * Prints "right" if the second keeps what was written to it. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 5000, OLD = 0xee, NEW = 0x11 };

static int failed;

static void check(cudaError_t result)
{
	failed |= result != cudaSuccess;
}

/* Work that takes a while. */
static void linger(void *arg)
{
	(void)arg;
	usleep(50000);
}

int main(void)
{
	unsigned char found[SIZE], wanted[SIZE];
	cudaStream_t before, after;
	void *block;

	check(cudaStreamCreateWithFlags(&before, cudaStreamNonBlocking));
	check(cudaStreamCreateWithFlags(&after, cudaStreamNonBlocking));
	check(cudaMalloc(&block, SIZE));
	check(cudaLaunchHostFunc(before, linger, NULL));
	check(cudaMemsetAsync(block, OLD, SIZE, before));
	check(cudaFree(block));
	check(cudaMalloc(&block, SIZE));
	check(cudaMemsetAsync(block, NEW, SIZE, after));
	check(cudaStreamSynchronize(after));
	check(cudaStreamSynchronize(before));
	check(cudaMemcpy(found, block, SIZE, cudaMemcpyDeviceToHost));
	check(cudaFree(block));
	memset(wanted, NEW, SIZE);
	printf("%s\n", memcmp(found, wanted, SIZE) ? "wrong" : "right");
	return failed;
}
