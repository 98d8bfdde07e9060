/* Four threads at once, each with its own default stream (compiled with
 * --default-stream per-thread). Every thread frees its buffers while work on
 * them may be queued, and the others ask for buffers of that size. */
#include <thread>
#include <vector>

#include "cuda_check.h"
#include "round_kernels.cuh"
#include "rounds.h"

enum { THREADS = 4, STEPS = 3 };

/* Queues a step in the thread's stream, which later writes its sum to
 * *host_sum. */
static void step_queue(unsigned seed, unsigned count, unsigned *host_sum)
{
	unsigned blocks = round_blocks(count), *first, *second, *sum;
	size_t bytes = count * sizeof(*first);

	CUDA(cudaMalloc(&first, bytes));
	CUDA(cudaMalloc(&sum, sizeof(*sum)));
	CUDA(cudaMemsetAsync(sum, 0, sizeof(*sum)));
	values_make<<<blocks, ROUND_THREADS>>>(first, seed, count);
	CUDA(cudaGetLastError());
	CUDA(cudaMalloc(&second, bytes));
	values_mix<<<blocks, ROUND_THREADS>>>(first, second, count);
	CUDA(cudaGetLastError());
	CUDA(cudaFree(first));
	values_sum<<<blocks, ROUND_THREADS>>>(second, count, sum);
	CUDA(cudaGetLastError());
	CUDA(cudaFree(second));
	CUDA(cudaMemcpyAsync(host_sum, sum, sizeof(*sum),
			     cudaMemcpyDeviceToHost));
	CUDA(cudaFree(sum));
}

static void thread_run(unsigned seed, unsigned count, unsigned *result)
{
	unsigned *sums;

	CUDA(cudaMallocHost(&sums, STEPS * sizeof(*sums)));
	for (unsigned step = 0; step < STEPS; step++)
		step_queue(seed + step, count, &sums[step]);
	CUDA(cudaStreamSynchronize(cudaStreamPerThread));
	*result = 0;
	for (unsigned step = 0; step < STEPS; step++)
		*result += sums[step];
	CUDA(cudaFreeHost(sums));
}

static void round_run(unsigned seed)
{
	unsigned count = round_count(seed), results[THREADS];
	unsigned result = 0, expected = 0;
	std::vector<std::thread> threads;

	for (unsigned i = 0; i < THREADS; i++)
		threads.emplace_back(thread_run, seed + i * STEPS, count,
				     &results[i]);
	for (std::thread &thread : threads)
		thread.join();
	for (unsigned i = 0; i < THREADS; i++) {
		result += results[i];
		for (unsigned step = 0; step < STEPS; step++)
			expected += values_expected(seed + i * STEPS + step,
						    count, 1);
	}
	round_end(seed, result, expected);
}

int main(int argc, char **argv)
{
	unsigned seed;

	(void)argv;
	rounds_open(argc, 0, "thread_streams");
	while (round_next(&seed))
		round_run(seed);
	return 0;
}
