#include "runtime.h"

EXPORT cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *what,
					cudaHostFn_t destroy,
					unsigned int count, unsigned int flags)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.UserObjectCreate(object, what, destroy,
						     count, flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaUserObjectRetain(cudaUserObject_t object,
					unsigned int count)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.UserObjectRetain(object, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaUserObjectRelease(cudaUserObject_t object,
					 unsigned int count)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.UserObjectRelease(object, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
					     cudaUserObject_t object,
					     unsigned int count,
					     unsigned int flags)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.GraphRetainUserObject(graph, object, count,
							  flags);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
					      cudaUserObject_t object,
					      unsigned int count)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.GraphReleaseUserObject(graph, object,
							   count);
	return runtime_result(res);
}
