#include "peer_touch.h"

#include "block/block.h"
#include "call.h"
#include "order/fence.h"
#include "mem/mem.h"
#include "pools/pool.h"

/* Stream 0 and its like are the current context's; without one, the call
 * fails. */
struct visitor visitor_of_stream(CUstream stream)
{
	struct visitor by = {.none = !mem_enabled()};
	CUcontext handle = NULL;

	if (by.none)
		return by;
	if (!stream || stream == CU_STREAM_LEGACY ||
	    stream == CU_STREAM_PER_THREAD) {
		by.context = context_current();
		by.none = !by.context;
	} else if (!REAL_CALL(cuStreamGetCtx, stream, &handle)) {
		by.context = context_named(handle);
	}
	return by;
}

struct visitor visitor_of_node(CUcontext context)
{
	struct visitor by = {.none = !mem_enabled()};

	if (!by.none && context)
		by.context = context_named(context);
	return by;
}

void visit(struct visitor by, CUdeviceptr addr)
{
	if (!by.none)
		fence_visit(by.context, addr);
}

void visit_list(struct visitor by, const CUdeviceptr *list, size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		visit(by, list[i]);
}

static void visit_operand(struct visitor by, const CUmemcpy3DOperand *side)
{
	if (side->type == CU_MEMCPY_OPERAND_TYPE_POINTER)
		visit(by, side->op.ptr.ptr);
}

void visit_batch(struct visitor by, const CUDA_MEMCPY3D_BATCH_OP *list,
		 size_t count)
{
	for (size_t i = 0; list && i < count; i++) {
		visit_operand(by, &list[i].src);
		visit_operand(by, &list[i].dst);
	}
}

void visit_values(struct visitor by, const CUstreamBatchMemOpParams *list,
		  size_t count)
{
	for (size_t i = 0; list && i < count; i++) {
		switch (list[i].operation) {
		case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		case CU_STREAM_MEM_OP_WAIT_VALUE_64:
			visit(by, list[i].waitValue.address);
			break;
		case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		case CU_STREAM_MEM_OP_WRITE_VALUE_64:
			visit(by, list[i].writeValue.address);
			break;
		default:
			break;
		}
	}
}

void visit_unpacked(struct visitor by, const CUmemDecompressParams *list,
		    size_t count)
{
	for (size_t i = 0; list && i < count; i++) {
		visit(by, (CUdeviceptr)list[i].src);
		visit(by, (CUdeviceptr)list[i].dst);
		visit(by, (CUdeviceptr)list[i].dstActBytes);
	}
}

static void visit_side(struct visitor by, CUmemorytype type, CUdeviceptr addr)
{
	if (type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED)
		visit(by, addr);
}

#define VISIT_SHAPE(name, type) \
	void name(struct visitor by, const type *shape) \
	{ \
		if (!shape) \
			return; \
		visit_side(by, shape->srcMemoryType, shape->srcDevice); \
		visit_side(by, shape->dstMemoryType, shape->dstDevice); \
	}
VISIT_SHAPE(visit_flat, CUDA_MEMCPY2D)
VISIT_SHAPE(visit_deep, CUDA_MEMCPY3D)
VISIT_SHAPE(visit_peers, CUDA_MEMCPY3D_PEER)
#undef VISIT_SHAPE

void visit_fill(struct visitor by, const CUDA_MEMSET_NODE_PARAMS *fill)
{
	if (fill)
		visit(by, fill->dst);
}

void visit_value_node(const CUDA_BATCH_MEM_OP_NODE_PARAMS *node)
{
	if (node)
		visit_values(visitor_of_node(node->ctx), node->paramArray,
			     node->count);
}

void visit_node(const CUgraphNodeParams *node)
{
	if (!visits_matter() || !node)
		return;
	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		visit_deep(visitor_of_node(node->memcpy.copyCtx),
			   &node->memcpy.copyParams);
		break;
	case CU_GRAPH_NODE_TYPE_MEMSET:
		visit(visitor_of_node(node->memset.ctx), node->memset.dst);
		break;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		visit_values(visitor_of_node(node->memOp.ctx),
			     node->memOp.paramArray, node->memOp.count);
		break;
	default:
		break;
	}
}

void visit_freed(CUstream stream, const struct block *block)
{
	struct device *owner;
	struct visitor by;

	if (!block || !visits_matter())
		return;
	owner = block->pool->store->device;
	by = visitor_of_stream(stream);
	if (by.context && by.context->device != owner)
		fence_join(owner, by.context);
	else if (!by.context && !by.none)
		fence_visit(NULL, block_addr(block));
}
