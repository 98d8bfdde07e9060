#include "runtime.h"

_Static_assert(sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) ==
			       sizeof(struct cudaExternalMemoryHandleDesc) &&
		       sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC) ==
			       sizeof(struct cudaExternalMemoryBufferDesc),
	       "the driver's and the runtime's descriptions differ");

EXPORT cudaError_t
cudaImportExternalMemory(cudaExternalMemory_t *memory,
			 const struct cudaExternalMemoryHandleDesc *desc)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.ImportExternalMemory(
			(CUexternalMemory *)memory,
			(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *)desc);
	return runtime_result(res);
}

EXPORT cudaError_t cudaExternalMemoryGetMappedBuffer(
	void **ptr, cudaExternalMemory_t memory,
	const struct cudaExternalMemoryBufferDesc *desc)
{
	CUdeviceptr addr = 0;
	int res = ptr ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.ExternalMemoryGetMappedBuffer(
			&addr, (CUexternalMemory)memory,
			(const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *)desc);
	if (!res)
		*ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory)
{
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.DestroyExternalMemory(
			(CUexternalMemory)memory);
	return runtime_result(res);
}
