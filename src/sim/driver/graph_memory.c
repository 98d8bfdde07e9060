/* The entries for memory that nodes of graphs allocate. */
#include "context.h"
#include "device.h"
#include "entries.h"
#include "graph.h"
#include "graph_block.h"
#include "graph_nodes.h"
#include "node.h"
#include "world.h"

CUresult sim_cuDeviceGetGraphMemAttribute(CUdevice device,
					  CUgraphMem_attribute attr,
					  void *value)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!value || (unsigned)attr > CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
		return CUDA_ERROR_INVALID_VALUE;
	*(cuuint64_t *)value = dev->graph_memory[attr];
	return CUDA_SUCCESS;
}

/* Only the high-water marks can be set, and only to zero. */
CUresult sim_cuDeviceSetGraphMemAttribute(CUdevice device,
					  CUgraphMem_attribute attr,
					  void *value)
{
	struct device *dev;
	CUresult res = device_find(device, &dev);

	if (res)
		return res;
	if (!value || *(cuuint64_t *)value ||
	    (attr != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH &&
	     attr != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
		return CUDA_ERROR_INVALID_VALUE;
	dev->graph_memory[attr] =
		dev->graph_memory
			[attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH
				 ? CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT
				 : CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT];
	return CUDA_SUCCESS;
}

/* Graphs keep nothing that is in no use. */
CUresult sim_cuDeviceGraphMemTrim(CUdevice device)
{
	struct device *dev;

	return device_find(device, &dev);
}

/* Adds a node for the memory. */
static CUresult memory_add(const struct place *place, CUgraphNodeType type,
			   struct graph_block *memory, struct context *ctx)
{
	struct node *node;
	CUresult res = node_add(place, type, &node);

	if (res)
		return res;
	res = graph_block_set(node, memory, ctx);
	if (res)
		graph_remove(node->graph, node);
	return res;
}

static CUresult params_check(const CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	const CUmemPoolProps *props = &params->poolProps;

	if (!params->bytesize || props->handleTypes ||
	    props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    params->accessDescCount > (size_t)world.device_count ||
	    (params->accessDescCount && !params->accessDescs))
		return CUDA_ERROR_INVALID_VALUE;
	return props->location.type == CU_MEM_LOCATION_TYPE_DEVICE
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult sim_cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph handle,
				    const CUgraphNode *dependencies,
				    size_t count,
				    CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	struct place place = {out, handle, dependencies, count};
	struct graph_block *memory;
	struct context *ctx;
	struct graph *graph;
	CUresult res = context_current(&ctx);

	if (!res)
		res = params ? params_check(params) : CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = graph_find(handle, &graph);
	if (!res)
		res = graph_block_open(params, graph, &memory);
	if (res)
		return res;
	res = memory_add(&place, CU_GRAPH_NODE_TYPE_MEM_ALLOC, memory, ctx);
	if (!res)
		params->dptr = memory->block->addr;
	graph_block_drop(memory); /* the node has it */
	return res;
}

CUresult sim_cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph handle,
				   const CUgraphNode *dependencies,
				   size_t count, CUdeviceptr addr)
{
	struct place place = {out, handle, dependencies, count};
	struct block *block = device_block(addr);
	struct context *ctx;
	struct graph *graph;
	CUresult res = context_current(&ctx);

	if (!res)
		res = graph_find(handle, &graph);
	if (res)
		return res;
	if (!block || block->addr != addr ||
	    !graph_block_may_free(block, graph))
		return CUDA_ERROR_INVALID_VALUE;
	return memory_add(&place, CU_GRAPH_NODE_TYPE_MEM_FREE, block->graph,
			  ctx);
}

static CUresult memory_of(CUgraphNode handle, CUgraphNodeType type,
			  const void *out, const struct graph_block **memory)
{
	struct node *node;
	CUresult res = node_find(handle, &node);

	if (!res && (node->type != type || !out))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		*memory = node->memory;
	return res;
}

CUresult sim_cuGraphMemAllocNodeGetParams(CUgraphNode node,
					  CUDA_MEM_ALLOC_NODE_PARAMS *out)
{
	const struct graph_block *memory;
	CUresult res =
		memory_of(node, CU_GRAPH_NODE_TYPE_MEM_ALLOC, out, &memory);

	if (res)
		return res;
	*out = (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = memory->props,
					    .accessDescs = memory->access,
					    .accessDescCount =
						    memory->access_count,
					    .bytesize = memory->block->size,
					    .dptr = memory->block->addr};
	return CUDA_SUCCESS;
}

CUresult sim_cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *out)
{
	const struct graph_block *memory;
	CUresult res =
		memory_of(node, CU_GRAPH_NODE_TYPE_MEM_FREE, out, &memory);

	if (!res)
		*out = memory->block->addr;
	return res;
}
