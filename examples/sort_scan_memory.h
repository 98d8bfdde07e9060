/* Where sort_scan's vectors and Thrust's temporary storage come from: Thrust's
 * own calls of cudaMalloc or, for its host back end, which has none, ours. */
#ifndef SORT_SCAN_MEMORY_H
#define SORT_SCAN_MEMORY_H

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA

using device_values = thrust::device_vector<unsigned>;

static inline auto device_policy(void)
{
	return thrust::device;
}

#else

#include "cuda_check.h"

/* Every allocated block is device memory. Only on the simulated device may the
 * host follow its pointers. */
template <class T> struct device_allocator {
	using value_type = T;

	device_allocator() = default;
	template <class U> device_allocator(const device_allocator<U> &)
	{
	}

	T *allocate(size_t count)
	{
		T *values;

		CUDA(cudaMalloc(&values, count * sizeof(T)));
		return values;
	}

	void deallocate(T *values, size_t)
	{
		CUDA(cudaFree(values));
	}

	bool operator==(const device_allocator &) const
	{
		return true;
	}

	bool operator!=(const device_allocator &) const
	{
		return false;
	}
};

using device_values =
	thrust::device_vector<unsigned, device_allocator<unsigned>>;

static inline auto device_policy(void)
{
	static device_allocator<char> allocator;

	return thrust::device(allocator);
}

#endif

#endif
