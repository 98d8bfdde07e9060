#include "launch_attributes.h"

#include <stdlib.h>

#include "module.h"
#include "node.h"
#include "stream.h"
#include "world.h"

/* Blocks in a cluster that every device with clusters has. */
enum { CLUSTER_MOST = 8 };

static bool window_fits(const CUaccessPolicyWindow *window)
{
	return window->hitRatio >= 0 && window->hitRatio <= 1 &&
	       window->hitProp <= CU_ACCESS_PROPERTY_PERSISTING &&
	       window->missProp <= CU_ACCESS_PROPERTY_STREAMING;
}

bool attribute_fits(CUlaunchAttributeID what,
		    const CUlaunchAttributeValue *value)
{
	switch ((int)what) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		return window_fits(&value->accessPolicyWindow);
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		return value->syncPolicy >= CU_SYNC_POLICY_AUTO &&
		       value->syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		return value->clusterSchedulingPolicyPreference <=
		       CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		return value->memSyncDomain <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	default:
		return true;
	}
}

bool attributes_copy(const struct launch_attributes *from,
		     struct launch_attributes **to)
{
	struct launch_attributes *copy = NULL;

	if (from) {
		copy = malloc(sizeof(*copy));
		if (!copy)
			return false;
		*copy = *from;
	}
	free(*to);
	*to = copy;
	return true;
}

CUresult attributes_set(struct launch_attributes **attributes,
			CUlaunchAttributeID what,
			const CUlaunchAttributeValue *value)
{
	if (!*attributes) {
		*attributes = calloc(1, sizeof(**attributes));
		if (!*attributes)
			return CUDA_ERROR_OUT_OF_MEMORY;
	}
	(*attributes)->at[what] = *value;
	return CUDA_SUCCESS;
}

unsigned cluster_most(const struct function *function)
{
	return function->clusters_larger ? 2 * CLUSTER_MOST : CLUSTER_MOST;
}

CUresult cluster_check(const struct function *function, unsigned x, unsigned y,
		       unsigned z, const struct sim_launch *shape)
{
	uint64_t blocks = (uint64_t)x * y * z;

	if (x == 1 && y == 1 && z == 1)
		return CUDA_SUCCESS;
	if (world.profile.compute_major < CLUSTER_MAJOR)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!blocks || blocks > cluster_most(function) || shape->grid[0] % x ||
	    shape->grid[1] % y || shape->grid[2] % z)
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	return CUDA_SUCCESS;
}

/* Those that a launch may have and a node may not. */
static bool is_of_nodes(CUlaunchAttributeID what)
{
	return (unsigned)what < ATTRIBUTES &&
	       what != CU_LAUNCH_ATTRIBUTE_IGNORE &&
	       what != CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY &&
	       what != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
	       what != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT &&
	       what != CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
}

CUresult attributes_capture(struct stream *stream,
			    const CUlaunchAttribute *attributes, size_t count)
{
	CUresult res = CUDA_SUCCESS;

	if (!stream->capture || stream->frontier.count != 1)
		return CUDA_SUCCESS;
	for (size_t i = 0; i < count && !res; i++)
		if (is_of_nodes(attributes[i].id))
			res = attributes_set(
				&stream->frontier.at[0]->attributes,
				attributes[i].id, &attributes[i].value);
	return res;
}
