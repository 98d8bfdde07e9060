#include "../binary.h"
#include "work.h"

EXPORT cudaError_t cudaMemcpyToSymbol(const void *host, const void *src,
				      size_t count, size_t offset,
				      enum cudaMemcpyKind kind)
{
	char *range;
	int res = variable_range(host, offset, count, &range);

	if (res)
		return runtime_result(res);
	return cudaMemcpy(range, src, count, kind);
}

EXPORT cudaError_t cudaMemcpyFromSymbol(void *dst, const void *host,
					size_t count, size_t offset,
					enum cudaMemcpyKind kind)
{
	char *range;
	int res = variable_range(host, offset, count, &range);

	if (res)
		return runtime_result(res);
	return cudaMemcpy(dst, range, count, kind);
}

EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *host, const void *src,
					   size_t count, size_t offset,
					   enum cudaMemcpyKind kind,
					   cudaStream_t stream)
{
	char *range;
	int res = variable_range(host, offset, count, &range);

	if (res)
		return runtime_result(res);
	return cudaMemcpyAsync(range, src, count, kind, stream);
}

EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *host,
					     size_t count, size_t offset,
					     enum cudaMemcpyKind kind,
					     cudaStream_t stream)
{
	char *range;
	int res = variable_range(host, offset, count, &range);

	if (res)
		return runtime_result(res);
	return cudaMemcpyAsync(dst, range, count, kind, stream);
}
