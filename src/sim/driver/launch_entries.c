/* The calls that launch kernels, with their attributes. */
#include "code.h"
#include "entries.h"
#include "event.h"
#include "launch.h"
#include "launch_attributes.h"
#include "module.h"
#include "occupancy.h"
#include "stream.h"
#include "world.h"

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

/* All blocks of a cooperative launch have to be on the device at once. That
 * they can wait for each other is for the host function to bring about. */
static CUresult cooperative_check(CUfunction handle,
				  const struct sim_launch *shape)
{
	struct function *function;
	uint64_t threads, blocks;
	CUresult res = function_find(handle, &function);

	if (!res)
		res = launch_shape_check(shape, function, &threads);
	if (res)
		return res;
	blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
	return blocks > world.profile.multiprocessors *
				       occupancy_blocks(
					       threads / blocks,
					       shape->shared_bytes +
						       code_shared(
							       function->code))
		       ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
		       : CUDA_SUCCESS;
}

CUresult sim_cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
				       unsigned grid_y, unsigned grid_z,
				       unsigned block_x, unsigned block_y,
				       unsigned block_z, unsigned shared,
				       CUstream where, void **params)
{
	struct sim_launch shape = {.grid = {grid_x, grid_y, grid_z},
				   .block = {block_x, block_y, block_z},
				   .shared_bytes = shared};
	CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
					 .value.cooperative = 1};
	struct stream *stream;
	CUresult res = cooperative_check(function, &shape);

	if (!res)
		res = launch(function, &shape, where, params, NULL);
	if (!res)
		res = stream_find(where, &stream);
	return res ? res : attributes_capture(stream, &cooperative, 1);
}

/* An event that a launch records, which is known before the launch is queued.
 */
static CUresult event_check(CUevent handle, CUstream where)
{
	struct stream *stream;
	struct event *event;
	CUresult res = event_find(handle, &event);

	if (!res)
		res = stream_find(where, &stream);
	if (res)
		return res;
	if (event->slot || !(event->flags & CU_EVENT_DISABLE_TIMING))
		return CUDA_ERROR_INVALID_VALUE;
	return event->ctx == stream->ctx ? CUDA_SUCCESS
					 : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult attribute_check(const CUlaunchAttribute *attr,
				CUfunction handle, CUstream where,
				const struct sim_launch *shape)
{
	const CUlaunchAttributeValue *value = &attr->value;
	struct function *function;
	CUresult res = function_find(handle, &function);

	if (res)
		return res;
	switch ((int)attr->id) {
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		return value->cooperative ? cooperative_check(handle, shape)
					  : CUDA_SUCCESS;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		return cluster_check(function, value->clusterDim.x,
				     value->clusterDim.y, value->clusterDim.z,
				     shape);
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
		return event_check(value->programmaticEvent.event, where);
	case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
		return event_check(value->launchCompletionEvent.event, where);
	case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
		return value->deviceUpdatableKernelNode.deviceUpdatable
			       ? CUDA_ERROR_NOT_SUPPORTED
			       : CUDA_SUCCESS;
	default:
		return attribute_fits(attr->id, value)
			       ? CUDA_SUCCESS
			       : CUDA_ERROR_INVALID_VALUE;
	}
}

/* Attributes are hints, except for those that need blocks to run together. */
static CUresult attributes_check(const CUlaunchConfig *config,
				 CUfunction function,
				 const struct sim_launch *shape)
{
	CUresult res = CUDA_SUCCESS;

	for (unsigned i = 0; i < config->numAttrs && !res; i++)
		res = attribute_check(&config->attrs[i], function,
				      config->hStream, shape);
	return res;
}

/* Events of a launch are complete when all of it is, which is later than on a
 * GPU. */
static CUresult attributes_follow(const CUlaunchConfig *config)
{
	struct stream *stream;
	CUresult res = stream_find(config->hStream, &stream);

	if (!res)
		res = attributes_capture(stream, config->attrs,
					 config->numAttrs);
	for (unsigned i = 0; i < config->numAttrs && !res; i++) {
		const CUlaunchAttribute *attr = &config->attrs[i];

		if (attr->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
			res = sim_cuEventRecord(
				attr->value.programmaticEvent.event,
				config->hStream);
		if (attr->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
			res = sim_cuEventRecord(
				attr->value.launchCompletionEvent.event,
				config->hStream);
	}
	return res;
}

CUresult sim_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
			      void **params, void **extra)
{
	struct sim_launch shape;
	CUresult res;

	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	shape = (struct sim_launch){
		.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
		.block = {config->blockDimX, config->blockDimY,
			  config->blockDimZ},
		.shared_bytes = config->sharedMemBytes};
	res = attributes_check(config, function, &shape);
	if (!res)
		res = launch(function, &shape, config->hStream, params, extra);
	return res ? res : attributes_follow(config);
}
