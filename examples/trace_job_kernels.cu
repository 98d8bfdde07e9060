#include "trace_job_kernels.cuh"

enum { THREADS = 128, MOST_BLOCKS = 1024 };

/* One block for each page, and at least one. */
static unsigned int block_count(size_t pages)
{
	if (pages > MOST_BLOCKS)
		return MOST_BLOCKS;
	return pages ? (unsigned int)pages : 1;
}

cudaError_t buffer_fill(cudaStream_t stream, void *buffer, size_t bytes,
			uint64_t id, size_t pages)
{
	trace_fill<<<block_count(pages), THREADS, 0, stream>>>(
		(unsigned char *)buffer, bytes, id, pages);
	return cudaGetLastError();
}

cudaError_t stream_compute(cudaStream_t stream, uint64_t ns)
{
	trace_compute<<<1, 1, 0, stream>>>(ns);
	return cudaGetLastError();
}

cudaError_t buffer_check(cudaStream_t stream, const void *buffer, size_t bytes,
			 uint64_t id, size_t pages,
			 unsigned long long *mismatches)
{
	trace_check<<<block_count(pages), THREADS, 0, stream>>>(
		(const unsigned char *)buffer, bytes, id, pages, mismatches);
	return cudaGetLastError();
}
