/* Kernels of tests/gpu/reuse.cu: a writer that is late on purpose. */
#ifndef REUSE_KERNELS_CUH
#define REUSE_KERNELS_CUH

#include <stddef.h>
#include <stdint.h>
#ifdef SIM_KERNELS
#include <time.h>
#endif

enum { PARTS = 4, TOUCHED = 1024 };

/* Lets ns pass while the kernel runs. */
static __device__ __forceinline__ void linger(unsigned long long ns)
{
#ifdef SIM_KERNELS
	struct timespec time = {(time_t)(ns / 1000000000),
				(long)(ns % 1000000000)};

	nanosleep(&time, NULL);
#else
	unsigned long long start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	} while (now - start < ns);
#endif
}

/* By one thread: takes ns in all, in which it writes `late` over some of the
 * words, a part at a time. Adds to *early the words that were not `first`:
 * written by another while this work still had the block. */
extern "C" __global__ void write_late(uint32_t *words, size_t count,
				      uint32_t first, uint32_t late,
				      unsigned long long ns, unsigned *early)
{
	const size_t step = count / TOUCHED + 1;
	unsigned others = 0;

	for (int part = 0; part < PARTS; part++) {
		linger(ns / PARTS);
		for (size_t i = part * step; i < count; i += PARTS * step) {
			others += words[i] != first;
			words[i] = late;
		}
	}
	if (others)
		atomicAdd(early, others);
}

extern "C" __global__ void write_all(uint32_t *words, size_t count,
				     uint32_t value)
{
	const size_t step = (size_t)gridDim.x * blockDim.x;

	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	     i < count; i += step)
		words[i] = value;
}

#ifdef SIM_KERNELS
SIM_KERNELS(write_late, write_all)
#endif

#endif
