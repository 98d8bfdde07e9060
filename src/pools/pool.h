/* A pool: the policy by which requests get memory.
 *
 * The owning context's lock is held around every call. A pool keeps idle
 * blocks and chooses among them; it makes no CUDA call, takes no lock and
 * starts no thread. What it can't serve, the caller takes from the driver.
 *
 * There are pools whose blocks are whole allocations of the driver's, and pools
 * that place blocks in regions (place.h). Which members of struct pool_ops they
 * have tells them apart. */
#ifndef MNM_POOL_H
#define MNM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block/block.h"
#include "common/option.h"
#include "common/pool_choice.h"
#include "place.h"
#include "size_class.h"

struct heap;

enum { POOL_COUNTS = 256 }; /* a power of two */

/* First member of each pool's own struct. src/heap and the caches fill and read
 * it. */
struct pool {
	/* The heap that it serves. First and atomic: the record of a closed
	 * pool is kept, so that a thread that comes late with one of its blocks
	 * still finds a context. */
	struct heap *_Atomic heap __attribute__((aligned(POOL_ALIGN)));
	const struct pool_ops *ops;
	enum backing backing;        /* what its regions are to be made of */
	struct size_classes classes; /* set by open */
	/* Set by open. If a fresh block leaves less than so many percent of the
	 * device's memory free, all that is idle goes back before. */
	unsigned int headroom;
	size_t live_count; /* blocks with the program, or on their way */
	size_t live_span;  /* bytes reserved for them */
	bool retired;      /* swapped out: takes no whole block back */
	/* Of its regions: bytes that are free, and such as stay as they are,
	 * because others may use them for ever. */
	size_t free_bytes, buried_bytes;
	size_t region_bytes; /* of the driver's memory, in all its regions */
	size_t apart;        /* parts that are about to move, and come back */
	struct region *growing; /* the one of virtual memory; or NULL */
	/* Whether its blocks may be whole allocations of the driver's, although
	 * it places blocks; whether its regions are no more. */
	_Atomic bool has_whole, has_lost;
	struct pool *next; /* of the heap's pools */
	/* Idle blocks by a hash of their spans, see pool_idle_add. */
	uint32_t idle[POOL_COUNTS];
};

static inline uint32_t *pool_idle_of(struct pool *pool, size_t span)
{
	return &pool->idle[span * UINT64_C(0x9e3779b97f4a7c15) >> 56];
}

/* A pool with size classes says how many idle blocks of a span it has got, or
 * has lost (negative). */
static inline void pool_idle_add(struct pool *pool, size_t span, size_t change)
{
	uint32_t *count = pool_idle_of(pool, span);

	__atomic_store_n(count, *count + (uint32_t)change, __ATOMIC_RELAXED);
}

/* Whether the pool may have idle blocks of a span. May be asked without the
 * lock; the answer may be wrong then. */
static inline bool pool_may_have(struct pool *pool, size_t span)
{
	return __atomic_load_n(pool_idle_of(pool, span), __ATOMIC_RELAXED);
}

enum pool_answer {
	POOL_HIT,    /* *block is the caller's */
	POOL_MISS,   /* nothing idle fits */
	POOL_UNSAFE, /* what fits is not ready for this request; see below */
};

/* What is asked of a pool. */
struct pool_request {
	size_t span;         /* bytes; see struct pool_ops */
	size_t slack;        /* so many more are welcome */
	uint64_t safe;       /* blocks of epochs below are ready */
	unsigned int stream; /* in whose order it is made; or 0. What was freed
			      * in the same one is ready */
	/* By streams: what was freed in a stream's order, in an epoch below, is
	 * ready. NULL: this makes no block ready. */
	const _Atomic uint64_t *behind;
	/* The same, of streams that wait for the legacy stream, in whose order
	 * the request is made. NULL is allowed. */
	const _Atomic uint64_t *passes;
	/* The same, of what the host has seen the end of. NULL is allowed. */
	const _Atomic uint64_t *over;
};

static inline bool epoch_is_below(const _Atomic uint64_t *epochs,
				  unsigned int stream, uint64_t epoch)
{
	return epochs && epoch < atomic_load_explicit(&epochs[stream],
						      memory_order_relaxed);
}

/* Whether an idle block of this stream and epoch may serve the request: all
 * that was done with it is ordered before what its new holder does. */
static inline bool request_is_behind(const struct pool_request *request,
				     unsigned int stream, uint64_t epoch)
{
	return epoch < request->safe ||
	       (stream && (stream == request->stream ||
			   epoch_is_below(request->behind, stream, epoch) ||
			   epoch_is_below(request->passes, stream, epoch) ||
			   epoch_is_below(request->over, stream, epoch)));
}

static inline bool block_is_ready(const struct block *block,
				  const struct pool_request *request)
{
	return request_is_behind(request, block_stream(block), block->epoch);
}

/* Blocks of one key (block.h), linked by next, the oldest free first. */
struct block_list {
	struct block *head, *tail; /* head: NULL if empty */
	size_t count;
};

struct pool_ops {
	const char *name;
	size_t size; /* of the pool's own struct, zeroed before open */

	/* Returns false without memory. May be NULL. */
	bool (*open)(struct pool *pool, const struct config *config);
	/* Ends the pool, which holds no idle block any more. May be NULL. */
	void (*close)(struct pool *pool);
	/* The bytes that a request of size > 0 takes, or 0 if it can't be
	 * served. Up to `slack` bytes more than it needs, where that lets the
	 * block serve others: the more slack, the fewer spans there are. */
	size_t (*span)(const struct pool *pool, size_t size, size_t slack);
	/* alloc, free and trim are NULL in a pool that keeps nothing, whose
	 * spans are the sizes of their requests, and in one that places. */

	/* Looks for an idle block of span bytes, or of up to `slack` more, that
	 * is ready (block_is_ready). */
	enum pool_answer (*alloc)(struct pool *pool,
				  const struct pool_request *request,
				  struct block **block);
	/* Keeps a freed block, which has its epoch and its stream. Returns
	 * false if it does not: then the caller gives the block back to the
	 * driver. */
	bool (*free)(struct pool *pool, struct block *block);
	/* As alloc and free, for several blocks of one key: the first takes up
	 * to `most` that are ready, of the request's span and stream. The
	 * second gets a list that is not empty. Both are NULL in a pool without
	 * size classes. */
	struct block_list (*alloc_batch)(struct pool *pool,
					 const struct pool_request *request,
					 size_t most);
	bool (*free_batch)(struct pool *pool, const struct block_list *list);
	/* Hands over idle blocks of at least so many bytes in all, linked by
	 * next: as few as it can, or every one if that is not enough. */
	struct block *(*trim)(struct pool *pool, size_t bytes);

	/* A pool that places blocks has these; others have none of them.
	 *
	 * As alloc: takes free bytes out of a region, request->span or a few
	 * more, that are ready. */
	enum pool_answer (*place)(struct pool *pool,
				  const struct pool_request *request,
				  struct place *place);
	/* These bytes are free: a region, or what it has grown by, or those of
	 * a block. Returns false without memory, which never happens to the
	 * bytes of a block. */
	bool (*add)(struct pool *pool, const struct place *place);
	/* What is needed so that place finds span bytes. `grows` is the region
	 * of virtual memory that will grow, at its end, by all of it; NULL:
	 * there will be a new region, of fresh bytes only. */
	void (*lacks)(struct pool *pool, size_t span,
		      const struct region *grows, enum growth_rule rule,
		      struct lack *lack);
	/* Hands over free bytes: a whole region, or pages of a virtual one, at
	 * most so many bytes unless a region can only go whole. Returns false
	 * if there are none. `moves`: they will be the pool's again,
	 * elsewhere. */
	bool (*part)(struct pool *pool, size_t bytes, bool moves,
		     struct place *place);
	/* Hands over a whole region that has been free for as many requests as
	 * *age says, or for more; 0 stands for the average of all that are
	 * free, and is replaced by it. Returns false if there is none. May be
	 * NULL. */
	bool (*part_aged)(struct pool *pool, uint64_t *age,
			  struct place *place);
	/* Whether a region of virtual memory grows, and can give parts back. If
	 * not, each is as large as lacks says, and goes back whole. */
	bool grows;
};

static inline bool pool_places(const struct pool *pool)
{
	return pool->ops->place;
}

/* Whether freed memory stays with the pool. */
static inline bool pool_ops_keep(const struct pool_ops *ops)
{
	return ops->alloc || ops->place;
}

/* The pool of a choice (common/pool_choice.h). */
const struct pool_ops *pool_ops_at(int choice);

#endif
