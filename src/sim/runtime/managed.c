#include <string.h>

#include "runtime.h"

_Static_assert(sizeof(CUmemLocation) == sizeof(struct cudaMemLocation),
	       "the driver's and the runtime's locations differ");

EXPORT cudaError_t cudaMemAdvise(const void *ptr, size_t count,
				 enum cudaMemoryAdvise advice,
				 struct cudaMemLocation location)
{
	CUmemLocation own;
	int res = runtime_enter();

	memcpy(&own, &location, sizeof(own));
	if (!res)
		res = driver_legacy.MemAdvise((CUdeviceptr)ptr, count,
					      (CUmem_advise)advice, own);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemRangeGetAttribute(
	void *data, size_t size, enum cudaMemRangeAttribute attribute,
	const void *ptr, size_t count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MemRangeGetAttribute(
			data, size, (CUmem_range_attribute)attribute,
			(CUdeviceptr)ptr, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemRangeGetAttributes(
	void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes,
	size_t number, const void *ptr, size_t count)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.MemRangeGetAttributes(
			data, sizes, (CUmem_range_attribute *)attributes,
			number, (CUdeviceptr)ptr, count);
	return runtime_result(res);
}
