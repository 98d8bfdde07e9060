/* What copies and fills touch: memory of another device is shared with it
 * from then on. For programs that use several devices.
 *
 * Work belongs to the context of its stream, and a graph's node to the one it
 * names, whichever is current. */
#ifndef MNM_VISIT_HOOKS_H
#define MNM_VISIT_HOOKS_H

#include "context/context.h"
#include "cuda/real.h"

struct block;

/* Whose work it is. */
struct visitor {
	bool none;               /* the call can't succeed, or we are off */
	struct context *context; /* NULL: it may be anyone's */
};

struct visitor visitor_of_stream(CUstream stream);
/* Of a context that was named; where none was (NULL) it may be anyone. */
struct visitor visitor_of_node(CUcontext context);

static inline bool visits_matter(void)
{
	return device_count() > 1;
}

void visit(struct visitor by, CUdeviceptr addr);
/* So many addresses; the operations of a batch. A list may be NULL. */
void visit_list(struct visitor by, const CUdeviceptr *list, size_t count);
void visit_batch(struct visitor by, const CUDA_MEMCPY3D_BATCH_OP *list,
		 size_t count);
void visit_values(struct visitor by, const CUstreamBatchMemOpParams *list,
		  size_t count);
void visit_unpacked(struct visitor by, const CUmemDecompressParams *list,
		    size_t count);

/* Both sides of a copy, whatever its shape; may be NULL. */
void visit_flat(struct visitor by, const CUDA_MEMCPY2D *shape);
void visit_deep(struct visitor by, const CUDA_MEMCPY3D *shape);
void visit_peers(struct visitor by, const CUDA_MEMCPY3D_PEER *shape);

#define visit_shape(by, shape) \
	_Generic(*(shape), CUDA_MEMCPY2D \
		 : visit_flat, CUDA_MEMCPY3D \
		 : visit_deep, CUDA_MEMCPY3D_PEER \
		 : visit_peers)(by, shape)

void visit_fill(struct visitor by, const CUDA_MEMSET_NODE_PARAMS *fill);
void visit_value_node(const CUDA_BATCH_MEM_OP_NODE_PARAMS *node);

/* A node of any kind; may be NULL. */
void visit_node(const CUgraphNodeParams *node);

/* A block of ours is about to be freed in the order of a stream: not before
 * the work of its former owner is over, which only the device's last fence
 * may be behind. */
void visit_freed(CUstream stream, const struct block *block);

#endif
