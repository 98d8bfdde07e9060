#include "../box.h"
#include "work.h"

EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *params)
{
	CUDA_MEMCPY3D box;
	int res = runtime_enter();

	if (!res)
		res = box_of(params, &box);
	if (!res)
		res = work_driver.Memcpy3D(&box);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *params,
				     cudaStream_t stream)
{
	CUDA_MEMCPY3D box;
	int res = runtime_enter();

	if (!res)
		res = box_of(params, &box);
	if (!res)
		res = work_driver.Memcpy3DAsync(&box, stream);
	return runtime_result(res);
}
