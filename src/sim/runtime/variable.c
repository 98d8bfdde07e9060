#include "binary.h"
#include "runtime.h"

EXPORT cudaError_t cudaGetSymbolAddress(void **ptr, const void *host)
{
	CUdeviceptr addr = 0;
	size_t size = 0;
	int res = variable_find(host, &addr, &size);

	if (!res)
		*ptr = (void *)addr;
	return runtime_result(res);
}

EXPORT cudaError_t cudaGetSymbolSize(size_t *size, const void *host)
{
	CUdeviceptr addr = 0;
	size_t found = 0;
	int res = variable_find(host, &addr, &found);

	if (!res)
		*size = found;
	return runtime_result(res);
}
