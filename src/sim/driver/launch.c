#include "launch.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "entries.h"
#include "module.h"
#include "op.h"
#include "stream.h"
#include "touch.h"
#include "world.h"

enum { ARG_ALIGN = 16, BLOCK_THREADS = 1024 };

static void launch_run(struct op *op)
{
	op->launch.kernel->run(&op->launch.shape, op->launch.args);
}

/* The caller's arguments may change as soon as the launch returns. */
static CUresult args_copy(struct op *op, void **params)
{
	const struct sim_kernel *kernel = op->launch.kernel;
	size_t bytes = kernel->arg_count * sizeof(void *) + ARG_ALIGN;
	char *at;

	if (kernel->arg_count && !params)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < kernel->arg_count; i++)
		bytes += (kernel->arg_sizes[i] + ARG_ALIGN - 1) &
			 ~(size_t)(ARG_ALIGN - 1);
	op->owned = malloc(bytes);
	if (!op->owned)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->launch.args = op->owned;
	at = (char *)op->owned + kernel->arg_count * sizeof(void *);
	at += -(uintptr_t)at & (ARG_ALIGN - 1);
	for (size_t i = 0; i < kernel->arg_count; i++) {
		memcpy(at, params[i], kernel->arg_sizes[i]);
		op->launch.args[i] = at;
		at += (kernel->arg_sizes[i] + ARG_ALIGN - 1) &
		      ~(size_t)(ARG_ALIGN - 1);
	}
	return CUDA_SUCCESS;
}

static CUresult shape_check(const struct sim_launch *shape,
			    const struct function *function, uint64_t *threads)
{
	uint64_t blocks = 1, in_block = 1;
	size_t shared = function->shared_limit ? function->shared_limit : 49152;

	for (int i = 0; i < 3; i++) {
		blocks *= shape->grid[i];
		in_block *= shape->block[i];
	}
	if (!blocks || !in_block || in_block > BLOCK_THREADS ||
	    shape->grid[1] > 65535 || shape->grid[2] > 65535 ||
	    shape->grid[0] > 2147483647 || shape->block[2] > 64 ||
	    shape->shared_bytes > shared)
		return CUDA_ERROR_INVALID_VALUE;
	*threads = blocks * in_block;
	return CUDA_SUCCESS;
}

static CUresult launch_renew(struct op *op)
{
	return args_copy(op, op->launch.args);
}

CUresult launch_op(const struct function *function,
		   const struct sim_launch *shape, void **params, void **extra,
		   struct op **out, uint64_t *ns)
{
	uint64_t threads;
	struct op *op;
	CUresult res = shape_check(shape, function, &threads);

	if (res)
		return res;
	if (extra && *extra != CU_LAUNCH_PARAM_END)
		return CUDA_ERROR_NOT_SUPPORTED;
	op = op_new(launch_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->type = CU_GRAPH_NODE_TYPE_KERNEL;
	op->renew = launch_renew;
	op->touch = touch_launch;
	op->launch.kernel = function->kernel;
	op->launch.shape = *shape;
	res = args_copy(op, params);
	if (res) {
		op_drop(op);
		return res;
	}
	*ns = world.profile.kernel_ns +
	      threads * world.profile.kernel_ps_per_thread / 1000;
	if (function->kernel->lasts)
		*ns += function->kernel->lasts(shape, op->launch.args);
	*out = op;
	return CUDA_SUCCESS;
}

static CUresult launch(CUfunction handle, const struct sim_launch *shape,
		       CUstream where, void **params, void **extra)
{
	struct function *function;
	struct stream *stream;
	struct context *ctx;
	struct op *op;
	uint64_t ns;
	CUresult res = context_current(&ctx);

	if (!res)
		res = function_find(handle, &function);
	if (!res)
		res = stream_use(where, &stream);
	if (!res)
		res = launch_op(function, shape, params, extra, &op, &ns);
	if (res)
		return res;
	clock_spend(world.profile.submit_ns);
	stream->ctx->dev->launches++;
	return op_submit(op, stream, ns);
}

CUresult sim_cuLaunchKernel(CUfunction function, unsigned grid_x,
			    unsigned grid_y, unsigned grid_z, unsigned block_x,
			    unsigned block_y, unsigned block_z, unsigned shared,
			    CUstream where, void **params, void **extra)
{
	struct sim_launch shape = {.grid = {grid_x, grid_y, grid_z},
				   .block = {block_x, block_y, block_z},
				   .shared_bytes = shared};

	return launch(function, &shape, where, params, extra);
}

/* Attributes are hints, except for those that need blocks to run together. */
static CUresult attributes_check(const CUlaunchConfig *config)
{
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttribute *attr = &config->attrs[i];

		if (attr->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE &&
		    attr->value.cooperative)
			return CUDA_ERROR_NOT_SUPPORTED;
		if (attr->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
		    attr->value.clusterDim.x * attr->value.clusterDim.y *
				    attr->value.clusterDim.z >
			    1)
			return CUDA_ERROR_NOT_SUPPORTED;
	}
	return CUDA_SUCCESS;
}

CUresult sim_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
			      void **params, void **extra)
{
	struct sim_launch shape;
	CUresult res;

	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	res = attributes_check(config);
	if (res)
		return res;
	shape = (struct sim_launch){
		.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
		.block = {config->blockDimX, config->blockDimY,
			  config->blockDimZ},
		.shared_bytes = config->sharedMemBytes};
	return launch(function, &shape, config->hStream, params, extra);
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, CUfunction handle, int block_size, size_t shared,
	unsigned flags)
{
	struct function *function;
	CUresult res = function_find(handle, &function);
	uint64_t most = world.profile.threads_per_multiprocessor;

	if (res)
		return res;
	if (!blocks || block_size <= 0 ||
	    flags & ~CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	*blocks = block_size > BLOCK_THREADS ? 0 : (int)(most / block_size);
	if (shared && *blocks > (int)(world.profile.shared_bytes / shared))
		*blocks = (int)(world.profile.shared_bytes / shared);
	if (*blocks > 16)
		*blocks = 16;
	return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
							 CUfunction function,
							 int block_size,
							 size_t shared)
{
	return sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, function, block_size, shared, CU_OCCUPANCY_DEFAULT);
}
