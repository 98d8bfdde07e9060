/* The trace job's kernels: a buffer's bytes tell whose they are.
 *
 * Word i of buffer `id` holds word_of(id, i). The bytes after the last whole
 * word hold the first ones of the next. A block of threads takes one page at
 * a time; no byte is written by two threads. */
#ifndef TRACE_JOB_KERNELS_CUH
#define TRACE_JOB_KERNELS_CUH

#include <stddef.h>
#include <stdint.h>

#include "trace_job_kernels.h"

/* An odd multiplier and a shift, so that neighbours differ in every byte. */
static __device__ __forceinline__ uint64_t word_of(uint64_t id, uint64_t i)
{
	uint64_t word = (id << 32 ^ i) * 0x9e3779b97f4a7c15u;

	return word ^ word >> 29;
}

/* The k-th of `pages` pages spread over a buffer that has `total`. */
static __device__ __forceinline__ size_t page_at(size_t k, size_t pages,
						 size_t total)
{
	if (pages == total || pages < 2)
		return k;
	return k * (total - 1) / (pages - 1);
}

extern "C" __global__ void trace_fill(unsigned char *buffer, size_t bytes,
				      uint64_t id, size_t pages)
{
	const size_t total = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;

	for (size_t k = blockIdx.x; k < pages; k += gridDim.x) {
		size_t start = page_at(k, pages, total) * PAGE_BYTES;
		size_t end = min(start + PAGE_BYTES, bytes);
		size_t at = start + threadIdx.x * sizeof(uint64_t);

		for (; at < end; at += blockDim.x * sizeof(uint64_t)) {
			uint64_t word = word_of(id, at / sizeof(uint64_t));

			if (at + sizeof(uint64_t) <= end) {
				*(uint64_t *)(buffer + at) = word;
				continue;
			}
			for (size_t i = at; i < end; i++, word >>= 8)
				buffer[i] = (unsigned char)word;
		}
	}
}

extern "C" __global__ void trace_check(const unsigned char *buffer,
				       size_t bytes, uint64_t id, size_t pages,
				       unsigned long long *mismatches)
{
	const size_t total = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	unsigned long long bad = 0;

	for (size_t k = blockIdx.x; k < pages; k += gridDim.x) {
		size_t start = page_at(k, pages, total) * PAGE_BYTES;
		size_t end = min(start + PAGE_BYTES, bytes);
		size_t at = start + threadIdx.x * sizeof(uint64_t);

		for (; at < end; at += blockDim.x * sizeof(uint64_t)) {
			uint64_t word = word_of(id, at / sizeof(uint64_t));

			if (at + sizeof(uint64_t) <= end) {
				bad += *(const uint64_t *)(buffer + at) != word;
				continue;
			}
			for (size_t i = at; i < end; i++, word >>= 8)
				bad += buffer[i] != (unsigned char)word;
		}
	}
	if (bad)
		atomicAdd(mismatches, bad);
}

/* Keeps the stream busy. The simulated device takes the time on its virtual
 * clock instead of waiting for it. */
extern "C" __global__ void trace_compute(uint64_t ns)
{
#ifdef SIM_KERNELS
	(void)ns;
#else
	uint64_t start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	} while (now - start < ns);
#endif
}

#ifdef SIM_KERNELS
static uint64_t trace_compute_lasts(const sim_launch *, void **args)
{
	return *(const uint64_t *)args[0];
}

SIM_LASTS(trace_compute, trace_compute_lasts)
SIM_KERNELS(trace_fill, trace_check, trace_compute)
#endif

#endif
