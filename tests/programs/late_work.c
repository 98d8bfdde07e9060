/* Frees a block while work that writes to it still waits in a stream, and takes
 * another block of that size at once, for another stream.
 * Prints "right" if the second block keeps what was written to it.
 * Usage: late_work MS   the old work waits until the new work is over, or for
 *                       MS milliseconds */
#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 5000, OLD = 0xee, NEW = 0x11 };

static int failed;

static void check(cudaError_t result)
{
	failed |= result != cudaSuccess;
}

static atomic_bool overtaken;

static void linger(void *at_most_ms)
{
	for (int left = *(int *)at_most_ms; left > 0 && !overtaken; left--)
		usleep(1000);
}

int main(int argc, char **argv)
{
	int at_most_ms = argc > 1 ? atoi(argv[1]) : 0;
	unsigned char found[SIZE], wanted[SIZE];
	cudaStream_t before, after;
	void *block;

	check(cudaStreamCreateWithFlags(&before, cudaStreamNonBlocking));
	check(cudaStreamCreateWithFlags(&after, cudaStreamNonBlocking));
	check(cudaMalloc(&block, SIZE));
	check(cudaLaunchHostFunc(before, linger, &at_most_ms));
	check(cudaMemsetAsync(block, OLD, SIZE, before));
	check(cudaFree(block));
	check(cudaMalloc(&block, SIZE));
	check(cudaMemsetAsync(block, NEW, SIZE, after));
	check(cudaStreamSynchronize(after));
	overtaken = true;
	check(cudaStreamSynchronize(before));
	check(cudaMemcpy(found, block, SIZE, cudaMemcpyDeviceToHost));
	check(cudaFree(block));
	memset(wanted, NEW, SIZE);
	printf("%s\n", memcmp(found, wanted, SIZE) ? "wrong" : "right");
	return failed;
}
