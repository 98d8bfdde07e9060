#include "binary.h"
#include "runtime.h"

EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
					    size_t shared_bytes,
					    cudaStream_t stream);
EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
					      size_t *shared_bytes,
					      void *stream);

/* The configuration of f<<<...>>>(...): pushed before the arguments are
 * evaluated, popped by the compiler's stub of f. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
				     cudaStream_t stream)
{
	struct thread *thread = thread_current();

	if (thread->depth == LAUNCH_DEPTH)
		return runtime_result(cudaErrorMissingConfiguration);
	thread->launches[thread->depth++] =
		(struct launch){grid, block, shared_bytes, stream};
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
				       size_t *shared_bytes, void *stream)
{
	struct thread *thread = thread_current();
	const struct launch *launch;

	if (!thread->depth)
		return runtime_result(cudaErrorMissingConfiguration);
	launch = &thread->launches[--thread->depth];
	*grid = launch->grid;
	*block = launch->block;
	*shared_bytes = launch->shared_bytes;
	*(cudaStream_t *)stream = launch->stream;
	return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	return runtime_result(kernel_find(host, kernel));
}

EXPORT cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	return runtime_result(kernel_find(host, kernel));
}

int function_find(const void *host, CUfunction *function)
{
	CUkernel kernel = NULL;
	int res = runtime_enter();

	if (!res)
		res = kernel_find(host, &kernel);
	if (!res)
		res = driver_legacy.KernelGetFunction(function, kernel);
	return res;
}

EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function,
				       const void *host)
{
	return runtime_result(function_find(host, function));
}

struct row {
	size_t offset; /* of an int in struct cudaFuncAttributes */
	CUfunction_attribute attr;
};

/* clang-format off */
#define ROW(field, attr) \
	{offsetof(struct cudaFuncAttributes, field), CU_FUNC_ATTRIBUTE_##attr}
static const struct row rows[] = {
	ROW(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK),
	ROW(numRegs, NUM_REGS),
	ROW(ptxVersion, PTX_VERSION),
	ROW(binaryVersion, BINARY_VERSION),
	ROW(cacheModeCA, CACHE_MODE_CA),
	ROW(maxDynamicSharedSizeBytes, MAX_DYNAMIC_SHARED_SIZE_BYTES),
	ROW(preferredShmemCarveout, PREFERRED_SHARED_MEMORY_CARVEOUT),
};
/* clang-format on */

static int sizes_fill(struct cudaFuncAttributes *found, CUfunction function)
{
	int shared = 0, constant = 0, local = 0;
	int res = driver_legacy.FuncGetAttribute(
		&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);

	if (!res)
		res = driver_legacy.FuncGetAttribute(
			&constant, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
			function);
	if (!res)
		res = driver_legacy.FuncGetAttribute(
			&local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function);
	found->sharedSizeBytes = (size_t)shared;
	found->constSizeBytes = (size_t)constant;
	found->localSizeBytes = (size_t)local;
	return res;
}

EXPORT cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
					 const void *host)
{
	struct cudaFuncAttributes found = {0};
	CUfunction function = NULL;
	int res = function_find(host, &function);

	if (!res)
		res = sizes_fill(&found, function);
	for (size_t i = 0; !res && i < sizeof(rows) / sizeof(rows[0]); i++)
		res = driver_legacy.FuncGetAttribute(
			(int *)(void *)((char *)&found + rows[i].offset),
			rows[i].attr, function);
	if (!res)
		*attributes = found;
	return runtime_result(res);
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *host,
					enum cudaFuncAttribute attr, int value)
{
	CUfunction function = NULL;
	int res = function_find(host, &function);

	if (!res)
		res = driver_legacy.FuncSetAttribute(
			function, (CUfunction_attribute)attr, value);
	return runtime_result(res);
}

EXPORT cudaError_t cudaFuncSetCacheConfig(const void *host,
					  enum cudaFuncCache config)
{
	CUfunction function = NULL;
	int res = function_find(host, &function);

	if (!res)
		res = driver_legacy.FuncSetCacheConfig(function,
						       (CUfunc_cache)config);
	return runtime_result(res);
}

EXPORT cudaError_t cudaFuncSetSharedMemConfig(const void *host,
					      enum cudaSharedMemConfig config)
{
	CUfunction function = NULL;
	int res = function_find(host, &function);

	if (!res)
		res = driver_legacy.FuncSetSharedMemConfig(
			function, (CUsharedconfig)config);
	return runtime_result(res);
}

EXPORT cudaError_t cudaFuncGetName(const char **name, const void *host)
{
	CUfunction function = NULL;
	int res = function_find(host, &function);

	if (!res)
		res = driver_legacy.FuncGetName(name, function);
	return runtime_result(res);
}

EXPORT cudaError_t cudaFuncGetParamInfo(const void *host, size_t index,
					size_t *offset, size_t *size)
{
	CUfunction function = NULL;
	int res = function_find(host, &function);

	if (!res)
		res = driver_legacy.FuncGetParamInfo(function, index, offset,
						     size);
	return runtime_result(res);
}
