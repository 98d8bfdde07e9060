/* Launches the trace job's kernels from C.
 *
 * Only some of a buffer's 4 KiB pages are touched: `pages` of them, spread
 * evenly from the first to the last. With 0 a launch touches nothing. */
#ifndef TRACE_JOB_KERNELS_H
#define TRACE_JOB_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

enum { PAGE_BYTES = 4096 };

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the pattern of `id`. */
cudaError_t buffer_fill(cudaStream_t stream, void *buffer, size_t bytes,
			uint64_t id, size_t pages);

/* Counts on the device the words that differ from that pattern, and adds their
 * number to *mismatches. */
cudaError_t buffer_check(cudaStream_t stream, const void *buffer, size_t bytes,
			 uint64_t id, size_t pages,
			 unsigned long long *mismatches);

/* Keeps the stream busy for so many nanoseconds, as a network's own kernels
 * would. */
cudaError_t stream_compute(cudaStream_t stream, uint64_t ns);

#ifdef __cplusplus
}
#endif

#endif
