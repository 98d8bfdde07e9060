/* What the kernels of the small programs compute; the host can compute it as
 * well. All values are whole numbers, so that a sum is the same in any
 * order. */
#ifndef ROUND_VALUES_H
#define ROUND_VALUES_H

#include <vector>

#ifdef __CUDACC__
#define ROUND_VALUE __host__ __device__ static inline
#else
#define ROUND_VALUE static inline
#endif

ROUND_VALUE unsigned value_first(unsigned seed, unsigned i)
{
	unsigned value = (seed + 1) * 2654435761u + i * 40503u;

	return value ^ value >> 15;
}

/* Returns a place's next value, from its own value and that of the place after
 * it. */
ROUND_VALUE unsigned value_mixed(unsigned here, unsigned after)
{
	return here * 1664525u + 1013904223u + (after >> 3);
}

ROUND_VALUE unsigned value_weighed(unsigned value, unsigned i)
{
	return value * (2 * i + 1);
}

/* Returns the sum of a seed's values after `mixes` mixes. */
static inline unsigned values_expected(unsigned seed, unsigned count,
				       unsigned mixes)
{
	std::vector<unsigned> here(count), next(count);
	unsigned sum = 0;

	for (unsigned i = 0; i < count; i++)
		here[i] = value_first(seed, i);
	for (unsigned mix = 0; mix < mixes; mix++) {
		for (unsigned i = 0; i < count; i++)
			next[i] = value_mixed(here[i], here[(i + 1) % count]);
		here.swap(next);
	}
	for (unsigned i = 0; i < count; i++)
		sum += value_weighed(here[i], i);
	return sum;
}

#endif
