/* What copies and fills touch: memory of another device is shared with it
 * from then on. For programs that use several devices. */
#ifndef MNM_VISIT_HOOKS_H
#define MNM_VISIT_HOOKS_H

#include "context.h"
#include "real.h"

/* The memory at an address; all that any device has. */
void visit_address(CUstream stream, CUdeviceptr addr);
void visit_everything(CUstream stream);

static inline void visit(CUstream stream, CUdeviceptr addr)
{
	if (device_count() > 1)
		visit_address(stream, addr);
}

static inline void visit_all(CUstream stream)
{
	if (device_count() > 1)
		visit_everything(stream);
}

/* Both sides of a copy, whatever its shape; shapes may be NULL. */
#define VISIT_SHAPE(name, type) \
	static inline void name(CUstream stream, const type *shape) \
	{ \
		if (!shape) \
			return; \
		visit(stream, shape->srcDevice); \
		visit(stream, shape->dstDevice); \
	}
VISIT_SHAPE(visit_flat, CUDA_MEMCPY2D)
VISIT_SHAPE(visit_deep, CUDA_MEMCPY3D)
VISIT_SHAPE(visit_peers, CUDA_MEMCPY3D_PEER)
#undef VISIT_SHAPE

#define visit_shape(stream, shape) \
	_Generic(*(shape), CUDA_MEMCPY2D \
		 : visit_flat, CUDA_MEMCPY3D \
		 : visit_deep)(stream, shape)

static inline void visit_fill(CUstream stream,
			      const CUDA_MEMSET_NODE_PARAMS *fill)
{
	if (fill)
		visit(stream, fill->dst);
}

/* A node of any kind; may be NULL. */
static inline void visit_node(CUstream stream, const CUgraphNodeParams *node)
{
	if (node && node->type == CU_GRAPH_NODE_TYPE_MEMCPY)
		visit_deep(stream, &node->memcpy.copyParams);
	if (node && node->type == CU_GRAPH_NODE_TYPE_MEMSET)
		visit(stream, node->memset.dst);
}

#endif
