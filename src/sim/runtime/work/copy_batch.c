/* Batches of copies. Their structures have the driver's form. */
#include "work.h"

_Static_assert(sizeof(struct cudaMemcpyAttributes) ==
			       sizeof(CUmemcpyAttributes) &&
		       sizeof(struct cudaMemcpy3DBatchOp) ==
			       sizeof(CUDA_MEMCPY3D_BATCH_OP),
	       "the driver's and the runtime's structures differ");

EXPORT cudaError_t cudaMemcpyBatchAsync(void *const *dsts,
					const void *const *srcs,
					const size_t *sizes, size_t count,
					struct cudaMemcpyAttributes *attrs,
					size_t *first, size_t number,
					cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.MemcpyBatchAsync(
			(CUdeviceptr *)(void *)dsts,
			(CUdeviceptr *)(void *)srcs, (size_t *)sizes, count,
			(CUmemcpyAttributes *)(void *)attrs, first, number,
			stream);
	return runtime_result(res);
}

EXPORT cudaError_t cudaMemcpy3DBatchAsync(size_t count,
					  struct cudaMemcpy3DBatchOp *ops,
					  unsigned long long flags,
					  cudaStream_t stream)
{
	int res = runtime_enter();

	if (!res)
		res = work_driver.Memcpy3DBatchAsync(
			count, (CUDA_MEMCPY3D_BATCH_OP *)(void *)ops, flags,
			stream);
	return runtime_result(res);
}
