#include "work.h"

/* The attributes and their values are the driver's, member by member. */
_Static_assert(sizeof(cudaStreamAttrValue) == sizeof(CUstreamAttrValue),
	       "the driver's and the runtime's attributes differ");

EXPORT cudaError_t cudaStreamSetAttribute(cudaStream_t stream,
					  cudaStreamAttrID attr,
					  const cudaStreamAttrValue *value)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamSetAttribute(
			stream, (CUstreamAttrID)attr,
			(const CUstreamAttrValue *)(const void *)value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamGetAttribute(cudaStream_t stream,
					  cudaStreamAttrID attr,
					  cudaStreamAttrValue *value)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamGetAttribute(
			stream, (CUstreamAttrID)attr,
			(CUstreamAttrValue *)(void *)value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.StreamCopyAttributes(to, from);
	return runtime_result(res);
}
