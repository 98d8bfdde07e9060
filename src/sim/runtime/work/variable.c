#include "../binary.h"
#include "work.h"

/* A range of a registered variable, checked against its size. */
static int range_find(const void *host, size_t offset, size_t count,
		      char **range)
{
	CUdeviceptr addr = 0;
	size_t size = 0;
	int res = variable_find(host, &addr, &size);

	if (!res && (offset > size || count > size - offset))
		res = cudaErrorInvalidValue;
	if (!res)
		*range = (char *)addr + offset;
	return res;
}

EXPORT cudaError_t cudaMemcpyToSymbol(const void *host, const void *src,
				      size_t count, size_t offset,
				      enum cudaMemcpyKind kind)
{
	char *range;
	int res = range_find(host, offset, count, &range);

	if (res)
		return runtime_result(res);
	return cudaMemcpy(range, src, count, kind);
}

EXPORT cudaError_t cudaMemcpyFromSymbol(void *dst, const void *host,
					size_t count, size_t offset,
					enum cudaMemcpyKind kind)
{
	char *range;
	int res = range_find(host, offset, count, &range);

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
	int res = range_find(host, offset, count, &range);

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
	int res = range_find(host, offset, count, &range);

	if (res)
		return runtime_result(res);
	return cudaMemcpyAsync(dst, range, count, kind, stream);
}
