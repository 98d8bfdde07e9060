#include "old_launch.h"

#include <stdlib.h>
#include <string.h>

#include "entries.h"
#include "launch.h"
#include "module.h"

enum { PARAMS_MOST = 4096 };

struct old_launch {
	struct sim_launch shape;
	size_t size; /* of the arguments */
	char params[PARAMS_MOST];
};

void old_launch_close(struct function *function)
{
	free(function->old);
	function->old = NULL;
}

/* A function has room for arguments once the first is set. */
static CUresult old_find(CUfunction handle, struct old_launch **old)
{
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	if (!function->old)
		function->old = calloc(1, sizeof(*function->old));
	*old = function->old;
	return *old ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult sim_cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
	struct old_launch *old;
	CUresult res = old_find(function, &old);

	if (res)
		return res;
	if (x <= 0 || y <= 0 || z <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	old->shape.block[0] = (unsigned)x;
	old->shape.block[1] = (unsigned)y;
	old->shape.block[2] = (unsigned)z;
	return CUDA_SUCCESS;
}

CUresult sim_cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
	struct old_launch *old;
	CUresult res = old_find(function, &old);

	if (!res)
		old->shape.shared_bytes = bytes;
	return res;
}

CUresult sim_cuParamSetSize(CUfunction function, unsigned bytes)
{
	struct old_launch *old;
	CUresult res = old_find(function, &old);

	if (!res && bytes > PARAMS_MOST)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		old->size = bytes;
	return res;
}

CUresult sim_cuParamSetv(CUfunction function, int offset, void *value,
			 unsigned bytes)
{
	struct old_launch *old;
	CUresult res = old_find(function, &old);

	if (res)
		return res;
	if (!value || offset < 0 || offset > PARAMS_MOST ||
	    bytes > PARAMS_MOST - (unsigned)offset)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(old->params + offset, value, bytes);
	return CUDA_SUCCESS;
}

CUresult sim_cuParamSeti(CUfunction function, int offset, unsigned value)
{
	return sim_cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult sim_cuParamSetf(CUfunction function, int offset, float value)
{
	return sim_cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult sim_cuLaunchGridAsync(CUfunction function, int width, int height,
			       CUstream where)
{
	struct old_launch *old;
	CUresult res = old_find(function, &old);
	struct sim_launch shape;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, NULL,
			 CU_LAUNCH_PARAM_BUFFER_SIZE, NULL,
			 CU_LAUNCH_PARAM_END};

	if (res)
		return res;
	if (width <= 0 || height <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	shape = old->shape; /* without a block shape there are no threads */
	shape.grid[0] = (unsigned)width;
	shape.grid[1] = (unsigned)height;
	shape.grid[2] = 1;
	extra[1] = old->params;
	extra[3] = &old->size;
	return launch(function, &shape, where, NULL, extra);
}

CUresult sim_cuLaunchGrid(CUfunction function, int width, int height)
{
	return sim_cuLaunchGridAsync(function, width, height, NULL);
}

CUresult sim_cuLaunch(CUfunction function)
{
	return sim_cuLaunchGridAsync(function, 1, 1, NULL);
}
