/* Blocks that are placed in regions. The context's lock is held around each
 * call. */
#ifndef MNM_PLACED_H
#define MNM_PLACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pools/pool.h"

struct heap_region;

/* As pool->view.ops->alloc, for a pool that places: *block is a new record for
 * bytes that were free. */
enum mnm_answer placed_alloc(struct pool *pool,
			     const struct mnm_request *request,
			     struct block **block);

/* Whether the block lies in a region of its pool, and is no allocation of the
 * driver's. */
bool block_is_placed(const struct block *block);

/* A freed block's bytes are free again, and its record ends. If its pool is
 * retired, what can go back waits in heap->pending then. */
void placed_free(struct block *block);

/* The memory of a live block is never used again, as others may use it for
 * ever. Its record ends. */
void placed_bury(struct block *block);

/* Whole pages are the pool's to place blocks in. If it does not take them, for
 * want of memory, they wait in heap->pending. */
void placed_return(struct pool *pool, const struct mnm_place *place);

/* A pool's free bytes go back to the driver, as many as make at least so many,
 * or all that can: they wait in heap->pending then. Returns the bytes. */
size_t placed_trim(struct pool *pool, size_t least);

/* Regions of the pool that have been free for long, by its own measure, go back
 * until they make so many bytes: they wait in heap->pending then. Returns the
 * bytes. */
size_t placed_trim_aged(struct pool *pool, size_t least);

/* The pool's regions of virtual memory grow no more: each ends with its last
 * page. One that has none waits in heap->pending then. */
void placed_leave(struct pool *pool);

/* The driver has taken the memory of the heap's regions: what is free there is
 * not counted any more, and no block is placed. The pools may not be asked for
 * memory from then on. */
void placed_forget(struct heap *heap);

/* A region, or what it has grown by, is the pool's. Returns false without
 * memory. */
bool placed_add(struct pool *pool, const struct mnm_place *place);

/* Ends the record of a block. Its bytes are not free yet. */
struct mnm_place placed_record_end(struct block *block);

#endif
