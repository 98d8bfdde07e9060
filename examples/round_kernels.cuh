/* The kernels of the small programs, one thread a value. */
#ifndef ROUND_KERNELS_CUH
#define ROUND_KERNELS_CUH

#include "round_values.h"

extern "C" __global__ void values_make(unsigned *x, unsigned seed,
				       unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		x[i] = value_first(seed, i);
}

extern "C" __global__ void values_mix(const unsigned *from, unsigned *to,
				      unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		to[i] = value_mixed(from[i], from[(i + 1) % count]);
}

/* Adds to *sum, which the caller has set to 0. */
extern "C" __global__ void values_sum(const unsigned *x, unsigned count,
				      unsigned *sum)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		atomicAdd(sum, value_weighed(x[i], i));
}

#ifdef SIM_KERNELS
SIM_KERNELS(values_make, values_mix, values_sum)
#endif

#endif
