/* Refuses copies and fills that leave a block which lies in a region. CUDA
 * refuses what leaves an allocation, but of a region it knows no blocks. As
 * with a block that is an allocation of its own, all of the span may be
 * used, and nothing once it is freed. */
#ifndef MNM_BOUNDS_H
#define MNM_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "cuda/real.h"
#include "heap/region.h"

/* Each returns whether all that is read and written lies in live blocks, or in
 * no region of a device's memory: then CUDA judges it. */
bool bounds_hold(CUdeviceptr addr, size_t bytes);
/* So many elements. */
bool bounds_hold_count(CUdeviceptr addr, size_t count, size_t element);
/* Rows of so many elements, a pitch in bytes apart. */
bool bounds_hold_rows(CUdeviceptr addr, size_t pitch, size_t width,
		      size_t element, size_t height);

/* The same for what a struct describes, which may be NULL. */
bool bounds_hold_flat(const CUDA_MEMCPY2D *shape);
bool bounds_hold_deep(const CUDA_MEMCPY3D *shape);
bool bounds_hold_peers(const CUDA_MEMCPY3D_PEER *shape);
bool bounds_hold_fill(const CUDA_MEMSET_NODE_PARAMS *fill);
bool bounds_hold_node(const CUgraphNodeParams *node);

/* The same for a batch of copies. If one leaves its block, its index is in
 * *failed, which may be NULL. */
bool bounds_hold_pairs(const CUdeviceptr *dsts, const CUdeviceptr *srcs,
		       const size_t *sizes, size_t count, size_t *failed);
bool bounds_hold_batch(const CUDA_MEMCPY3D_BATCH_OP *list, size_t count,
		       size_t *failed);

/* Whether none of these addresses is in a region. */
bool bounds_spare(const CUdeviceptr *list, size_t count);

#define bounds_hold_shape(shape) \
	_Generic(*(shape), CUDA_MEMCPY2D \
		 : bounds_hold_flat, CUDA_MEMCPY3D \
		 : bounds_hold_deep, CUDA_MEMCPY3D_PEER \
		 : bounds_hold_peers)(shape)

#endif
