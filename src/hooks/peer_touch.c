#include "peer_touch.h"

#include "block/block.h"
#include "call.h"
#include "order/fence.h"
#include "mem/mem.h"
#include "pools/pool.h"

/* The default streams belong to the current context; if there is none, the call
 * will fail. */
struct work_owner work_owner_of_stream(CUstream stream)
{
	struct work_owner by = {.none = !mem_enabled()};
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

struct work_owner work_owner_of_node(CUcontext context)
{
	struct work_owner by = {.none = !mem_enabled()};

	if (!by.none && context)
		by.context = context_named(context);
	return by;
}

void visit(struct work_owner by, CUdeviceptr addr)
{
	if (!by.none)
		peer_admit_at(by.context, addr);
}

void peer_touch_list(struct work_owner by, const CUdeviceptr *list,
		     size_t count)
{
	for (size_t i = 0; list && i < count; i++)
		visit(by, list[i]);
}

static void peer_touch_operand(struct work_owner by,
			       const CUmemcpy3DOperand *side)
{
	if (side->type == CU_MEMCPY_OPERAND_TYPE_POINTER)
		visit(by, side->op.ptr.ptr);
}

void peer_touch_batch(struct work_owner by, const CUDA_MEMCPY3D_BATCH_OP *list,
		      size_t count)
{
	for (size_t i = 0; list && i < count; i++) {
		peer_touch_operand(by, &list[i].src);
		peer_touch_operand(by, &list[i].dst);
	}
}

void peer_touch_values(struct work_owner by,
		       const CUstreamBatchMemOpParams *list, size_t count)
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

void peer_touch_unpacked(struct work_owner by,
			 const CUmemDecompressParams *list, size_t count)
{
	for (size_t i = 0; list && i < count; i++) {
		visit(by, (CUdeviceptr)list[i].src);
		visit(by, (CUdeviceptr)list[i].dst);
		visit(by, (CUdeviceptr)list[i].dstActBytes);
	}
}

static void peer_touch_side(struct work_owner by, CUmemorytype type,
			    CUdeviceptr addr)
{
	if (type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED)
		visit(by, addr);
}

#define VISIT_SHAPE(name, type) \
	void name(struct work_owner by, const type *shape) \
	{ \
		if (!shape) \
			return; \
		peer_touch_side(by, shape->srcMemoryType, shape->srcDevice); \
		peer_touch_side(by, shape->dstMemoryType, shape->dstDevice); \
	}
VISIT_SHAPE(peer_touch_flat, CUDA_MEMCPY2D)
VISIT_SHAPE(peer_touch_deep, CUDA_MEMCPY3D)
VISIT_SHAPE(peer_touch_peers, CUDA_MEMCPY3D_PEER)
#undef VISIT_SHAPE

void peer_touch_fill(struct work_owner by, const CUDA_MEMSET_NODE_PARAMS *fill)
{
	if (fill)
		visit(by, fill->dst);
}

void peer_touch_value_node(const CUDA_BATCH_MEM_OP_NODE_PARAMS *node)
{
	if (node)
		peer_touch_values(work_owner_of_node(node->ctx),
				  node->paramArray, node->count);
}

void peer_touch_node(const CUgraphNodeParams *node)
{
	if (!peers_matter() || !node)
		return;
	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		peer_touch_deep(work_owner_of_node(node->memcpy.copyCtx),
				&node->memcpy.copyParams);
		break;
	case CU_GRAPH_NODE_TYPE_MEMSET:
		visit(work_owner_of_node(node->memset.ctx), node->memset.dst);
		break;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		peer_touch_values(work_owner_of_node(node->memOp.ctx),
				  node->memOp.paramArray, node->memOp.count);
		break;
	default:
		break;
	}
}

void peer_touch_freed(CUstream stream, const struct block *block)
{
	struct device *owner;
	struct work_owner by;

	if (!block || !peers_matter())
		return;
	owner = block_pool(block)->heap->device;
	by = work_owner_of_stream(stream);
	if (by.context && by.context->device != owner)
		fence_attach(owner, by.context);
	else if (!by.context && !by.none)
		peer_admit_at(NULL, block_addr(block));
}
