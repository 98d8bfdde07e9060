#include "../binary.h"
#include "work.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define __cudaLaunchKernel __cudaLaunchKernel_ptsz
#endif
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid,
				      dim3 block, void **args,
				      size_t shared_bytes, cudaStream_t stream);

/* Programs are built to call this with the handle of __cudaGetKernel. If that
 * call found no kernel, it set no handle and told the thread the error. */
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
			       void **args, size_t shared_bytes,
			       cudaStream_t stream)
{
	CUfunction function = NULL;
	int res = kernel ? runtime_enter() : cudaErrorInvalidDeviceFunction;

	if (!res)
		res = driver_legacy.KernelGetFunction(&function, kernel);
	if (!res)
		res = work_driver.LaunchKernel(
			function, grid.x, grid.y, grid.z, block.x, block.y,
			block.z, (unsigned)shared_bytes, stream, args, NULL);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block,
				    void **args, size_t shared_bytes,
				    cudaStream_t stream)
{
	CUkernel kernel = NULL;
	int res = kernel_launched(host, &kernel);

	if (res)
		return runtime_result(res);
	return __cudaLaunchKernel(kernel, grid, block, args, shared_bytes,
				  stream);
}

EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
				       const void *host, void **args)
{
	CUkernel kernel = NULL;
	CUfunction function = NULL;
	CUlaunchConfig own;
	int res = config ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = kernel_launched(host, &kernel);
	if (!res)
		res = driver_legacy.KernelGetFunction(&function, kernel);
	if (res)
		return runtime_result(res);
	own = (CUlaunchConfig){
		.gridDimX = config->gridDim.x,
		.gridDimY = config->gridDim.y,
		.gridDimZ = config->gridDim.z,
		.blockDimX = config->blockDim.x,
		.blockDimY = config->blockDim.y,
		.blockDimZ = config->blockDim.z,
		.sharedMemBytes = (unsigned)config->dynamicSmemBytes,
		.hStream = config->stream,
		.attrs = (CUlaunchAttribute *)config->attrs,
		.numAttrs = config->numAttrs,
	};
	res = work_driver.LaunchKernelEx(&own, function, args, NULL);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid,
					       dim3 block, void **args,
					       size_t shared_bytes,
					       cudaStream_t stream)
{
	CUfunction function = NULL;
	CUkernel kernel = NULL;
	int res = runtime_enter();

	if (!res)
		res = kernel_launched(host, &kernel);
	if (!res)
		res = driver_legacy.KernelGetFunction(&function, kernel);
	if (!res)
		res = work_driver.LaunchCooperativeKernel(
			function, grid.x, grid.y, grid.z, block.x, block.y,
			block.z, (unsigned)shared_bytes, stream, args);
	return runtime_result(res);
}
