/* Handles by which other processes would open memory; they can't be opened
 * here yet. */
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "entries.h"

CUresult sim_cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr addr)
{
	const struct block *block = device_block(addr);
	pid_t pid = getpid();

	if (!handle || !block || block->kind != BLOCK_PLAIN)
		return CUDA_ERROR_INVALID_VALUE;
	memset(handle, 0, sizeof(*handle));
	memcpy(handle->reserved, &pid, sizeof(pid));
	memcpy(handle->reserved + sizeof(pid), &block->id, sizeof(block->id));
	return CUDA_SUCCESS;
}
