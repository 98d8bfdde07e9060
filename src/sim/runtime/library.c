#include "runtime.h"

/* The options have the driver's numbers. */
EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
				       enum cudaJitOption *jit,
				       void **jit_values,
				       unsigned int jit_count,
				       enum cudaLibraryOption *options,
				       void **values, unsigned int count)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LibraryLoadData(
			library, code, (CUjit_option *)jit, jit_values,
			jit_count, (CUlibraryOption *)options, values, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLibraryLoadFromFile(
	cudaLibrary_t *library, const char *path, enum cudaJitOption *jit,
	void **jit_values, unsigned int jit_count,
	enum cudaLibraryOption *options, void **values, unsigned int count)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LibraryLoadFromFile(
			library, path, (CUjit_option *)jit, jit_values,
			jit_count, (CUlibraryOption *)options, values, count);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LibraryUnload(library);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel,
					cudaLibrary_t library, const char *name)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LibraryGetKernel(kernel, library, name);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLibraryGetKernelCount(unsigned int *count,
					     cudaLibrary_t library)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LibraryGetKernelCount(count, library);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels,
					       unsigned int room,
					       cudaLibrary_t library)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.LibraryEnumerateKernels(kernels, room,
							    library);
	return runtime_result(res);
}

EXPORT cudaError_t cudaLibraryGetGlobal(void **ptr, size_t *size,
					cudaLibrary_t library, const char *name)
{
	CUdeviceptr addr = 0;
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.LibraryGetGlobal(&addr, size, library,
						     name);
	if (!res && ptr)
		*ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaLibraryGetManaged(void **ptr, size_t *size,
					 cudaLibrary_t library,
					 const char *name)
{
	CUdeviceptr addr = 0;
	int res = runtime_enter();

	if (!res)
		res = driver_legacy.LibraryGetManaged(&addr, size, library,
						      name);
	if (!res && ptr)
		*ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
						   enum cudaFuncAttribute attr,
						   int value, int device)
{
	int res = driver_open();

	if (!res)
		res = driver_legacy.KernelSetAttribute(
			(CUfunction_attribute)attr, value, kernel, device);
	return runtime_result(res);
}
