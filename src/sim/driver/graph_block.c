#include "graph_block.h"

#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "context.h"
#include "exec.h"
#include "graph.h"
#include "mempool.h"
#include "node.h"
#include "op.h"
#include "owner.h"
#include "stream.h"
#include "touch.h"
#include "world.h"

static void figure_add(struct device *dev, CUgraphMem_attribute now,
		       CUgraphMem_attribute high, int64_t bytes)
{
	dev->graph_memory[now] += bytes;
	if (dev->graph_memory[high] < dev->graph_memory[now])
		dev->graph_memory[high] = dev->graph_memory[now];
}

/* All of a graph's memory is there as long as its nodes are. */
static void figures_change(const struct block *block, bool gone)
{
	int64_t span = (int64_t)block->span;

	figure_add(block->dev, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
		   CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, gone ? -span : span);
	figure_add(block->dev, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
		   CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, gone ? -span : span);
}

static CUresult access_copy(struct graph_block *memory,
			    const CUmemAccessDesc *access, size_t count)
{
	if (!count)
		return CUDA_SUCCESS;
	memory->access = malloc(count * sizeof(*access));
	if (!memory->access)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(memory->access, access, count * sizeof(*access));
	memory->access_count = count;
	return CUDA_SUCCESS;
}

CUresult graph_block_open(const CUDA_MEM_ALLOC_NODE_PARAMS *params,
			  const struct graph *graph, struct graph_block **out)
{
	struct graph_block *memory = calloc(1, sizeof(*memory));
	struct device *dev;
	CUresult res = device_find(params->poolProps.location.id, &dev);

	if (!res)
		res = arena_open(&dev->arena);
	if (!res && memory)
		res = access_copy(memory, params->accessDescs,
				  params->accessDescCount);
	if (!res && memory)
		res = arena_alloc(&dev->arena, params->bytesize,
				  &memory->block);
	if (res || !memory) {
		free(memory ? memory->access : NULL);
		free(memory);
		return res ? res : CUDA_ERROR_OUT_OF_MEMORY;
	}
	world_track();
	memory->props = params->poolProps;
	memory->graph = graph->id;
	memory->users = 1;
	memory->block->id = ++world.block_ids;
	memory->block->dev = dev;
	memory->block->kind = BLOCK_GRAPH;
	memory->block->launches = dev->launches;
	memory->block->graph = memory;
	figures_change(memory->block, false);
	*out = memory;
	return CUDA_SUCCESS;
}

void graph_block_drop(struct graph_block *memory)
{
	struct block *block = memory->block;
	struct device *dev = block->dev;

	if (--memory->users)
		return;
	figures_change(block, true);
	owner_take(block->addr);
	arena_free(&dev->arena, block,
		   block->touched || block->launches != dev->launches);
	free(memory->access);
	free(memory);
}

static void begin_run(struct op *op)
{
	(void)op;
}

/* The life's use of the memory goes with it. */
static void end_run(struct op *op)
{
	pthread_mutex_lock(&world.lock);
	if (op->touched_count && op->touched->memory)
		owner_retire(op->touched->memory);
	graph_block_drop(op->release.block->graph);
	pthread_mutex_unlock(&world.lock);
}

struct op *graph_block_free_op(struct block *block)
{
	struct op *op = op_new(end_run);

	if (!op)
		return NULL;
	op->release = (struct release){.block = block, .stays = true};
	op->touch = touch_block;
	op->frees = true;
	return op;
}

void graph_block_begun(struct graph_block *memory)
{
	struct block *block = memory->block;

	block->id = ++world.block_ids;
	memory->live = true;
	memory->users++;
	owner_give(block->addr, block->size);
}

void graph_block_freed(struct graph_block *memory)
{
	memory->live = false;
	owner_close(memory->block->addr);
}

void graph_block_free(struct graph_block *memory)
{
	memory->live = false;
	owner_leave(memory->block->addr);
	graph_block_drop(memory);
}

bool graph_block_may_free(const struct block *block, const struct graph *graph)
{
	const struct graph_block *memory;

	if (!block || block->kind != BLOCK_GRAPH)
		return false;
	memory = block->graph;
	for (struct node *n = graph->first; n; n = n->next)
		if (n->type == CU_GRAPH_NODE_TYPE_MEM_FREE &&
		    n->memory == memory)
			return false;
	return memory->graph == graph->id ? !memory->freed_elsewhere
					  : !memory->freed_inside;
}

CUresult graph_block_set(struct node *node, struct graph_block *memory,
			 struct context *ctx)
{
	bool frees = node->type == CU_GRAPH_NODE_TYPE_MEM_FREE;
	struct op *op =
		frees ? graph_block_free_op(memory->block) : op_new(begin_run);

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	node_set_work(node, op, 0, ctx);
	node->memory = memory;
	memory->users++;
	if (frees && memory->graph == node->graph->id)
		memory->freed_inside = true;
	else if (frees)
		memory->freed_elsewhere = true;
	return CUDA_SUCCESS;
}

/* The pool's access of other devices becomes the node's. */
static size_t pool_access(const struct mempool *pool, CUmemAccessDesc *access)
{
	size_t count = 0;

	for (int i = 0; i < world.device_count; i++) {
		bool writes = pool->writers >> i & 1;

		if (&world.devices[i] == pool->dev || !(pool->readers >> i & 1))
			continue;
		access[count++] = (CUmemAccessDesc){
			.location = {CU_MEM_LOCATION_TYPE_DEVICE, i},
			.flags = writes ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
					: CU_MEM_ACCESS_FLAGS_PROT_READ};
	}
	return count;
}

static CUresult capture_set(struct graph_block *memory, CUgraphNodeType type,
			    struct stream *stream)
{
	struct node *node;
	CUresult res = capture_node(stream, type, &node);

	if (res)
		return res;
	res = graph_block_set(node, memory, stream->ctx);
	if (res)
		stream->capture->invalid = true;
	return res;
}

CUresult graph_block_capture(struct mempool *pool, struct stream *stream,
			     size_t size, CUdeviceptr *out)
{
	CUmemAccessDesc access[64];
	CUDA_MEM_ALLOC_NODE_PARAMS params = {
		.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			      .location = {CU_MEM_LOCATION_TYPE_DEVICE,
					   pool->dev->ordinal},
			      .maxSize = pool->most},
		.accessDescs = access,
		.bytesize = size};
	struct graph_block *memory;
	CUresult res;

	if (pool->handles) /* graphs share no memory with processes */
		return CUDA_ERROR_INVALID_VALUE;
	if (mempool_is_hosts(pool))
		return CUDA_ERROR_NOT_SUPPORTED;
	params.accessDescCount = pool_access(pool, access);
	res = graph_block_open(&params, stream->capture->graph, &memory);
	if (res)
		return res;
	res = capture_set(memory, CU_GRAPH_NODE_TYPE_MEM_ALLOC, stream);
	if (!res)
		*out = memory->block->addr;
	graph_block_drop(memory); /* the node has it */
	return res;
}

CUresult graph_block_capture_free(struct block *block, struct stream *stream)
{
	if (!graph_block_may_free(block, stream->capture->graph))
		return CUDA_ERROR_INVALID_VALUE;
	return capture_set(block->graph, CU_GRAPH_NODE_TYPE_MEM_FREE, stream);
}

bool graph_has_memory(const struct graph *graph)
{
	for (struct node *n = graph->first; n; n = n->next)
		if (n->memory || (n->child && graph_has_memory(n->child)))
			return true;
	return false;
}

static CUresult launch_check(const struct graph *graph, bool frees)
{
	CUresult res = CUDA_SUCCESS;

	for (struct node *n = graph->first; n && !res; n = n->next) {
		if (n->child)
			res = launch_check(n->child, frees);
		if (n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
		    n->memory->live && !frees)
			res = CUDA_ERROR_INVALID_VALUE;
		if (n->type == CU_GRAPH_NODE_TYPE_MEM_FREE &&
		    !n->memory->freed_inside && !n->memory->live)
			res = CUDA_ERROR_INVALID_VALUE;
	}
	return res;
}

static CUresult launch_free(const struct graph *graph, struct stream *stream)
{
	CUresult res = CUDA_SUCCESS;

	for (struct node *n = graph->first; n && !res; n = n->next) {
		struct op *op;

		if (n->child)
			res = launch_free(n->child, stream);
		if (res || n->type != CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
		    !n->memory->live)
			continue;
		op = graph_block_free_op(n->memory->block);
		res = op ? op_submit(op, stream, 0) : CUDA_ERROR_OUT_OF_MEMORY;
		if (!res)
			graph_block_freed(n->memory);
	}
	return res;
}

CUresult graph_blocks_launch(struct exec *exec, struct stream *stream)
{
	bool frees =
		exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
	CUresult res = launch_check(exec->graph, frees);

	if (res || !frees || !graph_has_memory(exec->graph))
		return res;
	return fence_merge(&stream->waits, &exec->last)
		       ? launch_free(exec->graph, stream)
		       : CUDA_ERROR_OUT_OF_MEMORY;
}
