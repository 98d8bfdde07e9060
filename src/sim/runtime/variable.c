#include "binary.h"
#include "runtime.h"

int variable_range(const void *host, size_t offset, size_t count, char **range)
{
	CUdeviceptr addr = 0;
	size_t size = 0;
	int res = variable_find(host, &addr, &size);

	if (!res && (offset > size || count > size - offset))
		res = cudaErrorInvalidValue;
	if (!res)
		*range = (char *)addr + offset;
	return res;
}

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
