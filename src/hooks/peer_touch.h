/* What copies and fills touch: memory of another device is shared with it
 * from then on. For programs that use several devices.
 *
 * Work belongs to the context of its stream, and a graph's node to the one it
 * names, whichever is current. */
#ifndef MNM_PEER_TOUCH_H
#define MNM_PEER_TOUCH_H

#include "context/context.h"
#include "cuda/real.h"

struct block;

/* Whose work it is. */
struct work_owner {
	bool none;               /* the call can't succeed, or we are off */
	struct context *context; /* NULL: it may be anyone's */
};

struct work_owner work_owner_of_stream(CUstream stream);
/* Of a context that was named; where none was (NULL) it may be anyone. */
struct work_owner work_owner_of_node(CUcontext context);

static inline bool peers_matter(void)
{
	return device_count() > 1;
}

void visit(struct work_owner by, CUdeviceptr addr);
/* So many addresses; the operations of a batch. A list may be NULL. */
void peer_touch_list(struct work_owner by, const CUdeviceptr *list,
		     size_t count);
void peer_touch_batch(struct work_owner by, const CUDA_MEMCPY3D_BATCH_OP *list,
		      size_t count);
void peer_touch_values(struct work_owner by,
		       const CUstreamBatchMemOpParams *list, size_t count);
void peer_touch_unpacked(struct work_owner by,
			 const CUmemDecompressParams *list, size_t count);

/* Both sides of a copy, whatever its shape; may be NULL. */
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

/* A node of any kind; may be NULL. */
void peer_touch_node(const CUgraphNodeParams *node);

/* A block of ours is about to be freed in the order of a stream: not before
 * the work of its former owner is over, which only the device's last fence
 * may be behind. */
void peer_touch_freed(CUstream stream, const struct block *block);

#endif
