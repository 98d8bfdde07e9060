/* A pool: the policy by which requests get memory.
 *
 * The owning context's lock is held around every call. A pool keeps idle
 * blocks and chooses among them; it makes no CUDA call, takes no lock and
 * starts no thread. What it can't serve, the caller takes from the driver. */
#ifndef MNM_POOL_H
#define MNM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block/block.h"
#include "common/option.h"
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
	struct size_classes classes; /* set by open */
	size_t live_count; /* blocks with the program, or on their way */
	size_t live_span;  /* bytes reserved for them */
	bool retired;      /* swapped out: takes nothing back */
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
	/* alloc, free and trim are NULL in a pool that keeps nothing; its spans
	 * are the sizes of their requests. */

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
};

/* The pool of row `index` of pool_rows. */
const struct pool_ops *pool_ops_at(int index);

#endif
