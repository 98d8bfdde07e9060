/* C++ with exceptions: buffers that free themselves. An out-of-memory error
 * unwinds through dozens of them and is caught, and the program goes on. */
#include <memory>
#include <stdexcept>
#include <vector>

#include <cuda_runtime.h>

#include "round_kernels.cuh"
#include "rounds.h"

enum { PARTS = 24 }; /* of the free memory, which they fill up */

struct cuda_error : std::runtime_error {
	cudaError_t code;

	explicit cuda_error(cudaError_t error)
	    : std::runtime_error(cudaGetErrorString(error)), code(error)
	{
	}
};

static void check(cudaError_t error)
{
	if (error)
		throw cuda_error(error);
}

class buffer
{
      public:
	explicit buffer(size_t count)
	{
		check(cudaMalloc(&values, count * sizeof(*values)));
	}

	~buffer()
	{
		cudaFree(values);
	}

	buffer(const buffer &) = delete;
	buffer &operator=(const buffer &) = delete;

	unsigned *values;
};

static size_t free_bytes(void)
{
	size_t free, total;

	check(cudaMemGetInfo(&free, &total));
	return free;
}

/* Takes equal parts of the free memory until CUDA has no more. */
static void memory_fill(void)
{
	size_t count = free_bytes() / PARTS / sizeof(unsigned);
	std::vector<std::unique_ptr<buffer>> buffers;

	for (int i = 0; i < 2 * PARTS; i++)
		buffers.push_back(std::make_unique<buffer>(count));
}

/* Returns true if memory ran out, which is caught here, and nothing is left of
 * it. */
static bool memory_ran_out(void)
{
	try {
		memory_fill();
	} catch (const cuda_error &error) {
		if (error.code != cudaErrorMemoryAllocation)
			throw;
		if (cudaGetLastError() != cudaErrorMemoryAllocation)
			throw std::logic_error("the last error is another");
		return cudaGetLastError() == cudaSuccess;
	}
	return false;
}

static unsigned values_sum_on_device(unsigned seed, unsigned count)
{
	unsigned blocks = round_blocks(count), result;
	buffer first(count), second(count), sum(1);

	check(cudaMemset(sum.values, 0, sizeof(result)));
	values_make<<<blocks, ROUND_THREADS>>>(first.values, seed, count);
	check(cudaGetLastError());
	values_mix<<<blocks, ROUND_THREADS>>>(first.values, second.values,
					      count);
	check(cudaGetLastError());
	values_sum<<<blocks, ROUND_THREADS>>>(second.values, count, sum.values);
	check(cudaGetLastError());
	check(cudaMemcpy(&result, sum.values, sizeof(result),
			 cudaMemcpyDeviceToHost));
	return result;
}

static void round_run(unsigned seed)
{
	unsigned count = round_count(seed);

	values_sum_on_device(seed + 1, count);
	if (!memory_ran_out())
		throw std::logic_error("twice the free memory was given");
	/* One block takes more than half of it: all that was freed is
	 * usable. */
	buffer(free_bytes() / 4 * 3 / sizeof(unsigned));
	round_end(seed, values_sum_on_device(seed, count),
		  values_expected(seed, count, 1));
}

int main(int argc, char **argv)
{
	unsigned seed;

	(void)argv;
	rounds_open(argc, 0, "buffers");
	try {
		while (round_next(&seed))
			round_run(seed);
	} catch (const std::exception &error) {
		fprintf(stderr, "buffers: %s\n", error.what());
		return 1;
	}
	return 0;
}
