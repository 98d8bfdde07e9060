/* Notes which memory copies and fills touch. If it is memory of another device,
 * the context whose work touches it counts as a peer from then on. Only
 * programs that use several devices need this.
 *
 * Work belongs to the context of its stream, and the work of a graph's node to
 * the context that the node names, whichever context is current. */
#ifndef MNM_PEER_TOUCH_H
#define MNM_PEER_TOUCH_H

#include "context/context.h"
#include "cuda/real.h"

struct block;

/* The context whose work a call queues. */
struct work_owner {
	bool none;               /* the call can't succeed, or mnm is off */
	struct context *context; /* NULL: it may be any context's */
};

struct work_owner work_owner_of_stream(CUstream stream);
/* The owner of a node that names this context. If context is NULL, the work may
 * be any context's. */
struct work_owner work_owner_of_node(CUcontext context);

static inline bool peers_matter(void)
{
	return device_count() > 1;
}

/* Notes that the work touches the memory at addr. */
void visit(struct work_owner by, CUdeviceptr addr);
/* Each notes that the work touches the memory of a list: of addresses, or of a
 * batch's operations. The list may be NULL. */
void peer_touch_list(struct work_owner by, const CUdeviceptr *list,
		     size_t count);
void peer_touch_batch(struct work_owner by, const CUDA_MEMCPY3D_BATCH_OP *list,
		      size_t count);
void peer_touch_values(struct work_owner by,
		       const CUstreamBatchMemOpParams *list, size_t count);
void peer_touch_unpacked(struct work_owner by,
			 const CUmemDecompressParams *list, size_t count);

/* Notes both sides of a copy; shape may be NULL. */
void peer_touch_flat(struct work_owner by, const CUDA_MEMCPY2D *shape);
void peer_touch_deep(struct work_owner by, const CUDA_MEMCPY3D *shape);
void peer_touch_peers(struct work_owner by, const CUDA_MEMCPY3D_PEER *shape);

#define peer_touch_shape(by, shape) \
	_Generic(*(shape), CUDA_MEMCPY2D \
		 : peer_touch_flat, CUDA_MEMCPY3D \
		 : peer_touch_deep, CUDA_MEMCPY3D_PEER \
		 : peer_touch_peers)(by, shape)

void peer_touch_fill(struct work_owner by, const CUDA_MEMSET_NODE_PARAMS *fill);
void peer_touch_value_node(const CUDA_BATCH_MEM_OP_NODE_PARAMS *node);

/* Notes what a node of any kind touches; node may be NULL. */
void peer_touch_node(const CUgraphNodeParams *node);

/* To be called before a block of ours is freed in the order of a stream. Work
 * of its former owners may still run, and perhaps only the last fence of the
 * block's device is behind that work, so a stream's context of another device
 * waits for this fence. block may be NULL. */
void peer_touch_freed(CUstream stream, const struct block *block);

#endif
