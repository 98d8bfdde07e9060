/* How many clusters fit on the device. */
#include "code.h"
#include "entries.h"
#include "launch_attributes.h"
#include "module.h"
#include "occupancy.h"
#include "world.h"

struct cluster {
	unsigned x, y, z;
};

/* The cluster that a configuration asks for; a block alone if none. */
static struct cluster cluster_of(const CUlaunchConfig *config)
{
	struct cluster found = {1, 1, 1};

	for (unsigned i = 0; i < config->numAttrs; i++)
		if (config->attrs[i].id ==
		    CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			found = (struct cluster){
				config->attrs[i].value.clusterDim.x,
				config->attrs[i].value.clusterDim.y,
				config->attrs[i].value.clusterDim.z};
	return found;
}

/* Blocks with this configuration that the whole device holds. */
static uint64_t blocks_of(const CUlaunchConfig *config,
			  const struct function *function)
{
	uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY *
			   config->blockDimZ;

	return world.profile.multiprocessors *
	       occupancy_blocks(threads, config->sharedMemBytes +
						 code_shared(function->code));
}

static CUresult config_check(const void *out, CUfunction handle,
			     const CUlaunchConfig *config,
			     struct function **function)
{
	CUresult res = function_find(handle, function);

	if (res)
		return res;
	if (!out || !config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	return world.profile.compute_major < CLUSTER_MAJOR
		       ? CUDA_ERROR_NOT_SUPPORTED
		       : CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle,
						const CUlaunchConfig *config)
{
	struct function *function;
	CUresult res = config_check(size, handle, config, &function);
	uint64_t most, blocks;

	if (res)
		return res;
	most = cluster_most(function);
	blocks = blocks_of(config, function);
	*size = (int)(blocks < most ? blocks : most);
	return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxActiveClusters(int *count, CUfunction handle,
					  const CUlaunchConfig *config)
{
	struct function *function;
	struct cluster cluster;
	struct sim_launch shape;
	CUresult res = config_check(count, handle, config, &function);

	if (res)
		return res;
	cluster = cluster_of(config);
	shape = (struct sim_launch){
		.grid = {config->gridDimX, config->gridDimY, config->gridDimZ}};
	res = cluster_check(function, cluster.x, cluster.y, cluster.z, &shape);
	if (res)
		return res;
	*count = (int)(blocks_of(config, function) /
		       ((uint64_t)cluster.x * cluster.y * cluster.z));
	return CUDA_SUCCESS;
}
