/* A pool: the policy by which requests for memory are served.
 *
 * This is the contract between mnm and its pools, those of others as well as
 * its own. docs/writing-a-pool.md explains it with an example. All sizes are in
 * bytes; addresses are the device's, or of pinned memory.
 *
 * A pool keeps idle blocks and chooses among them. It makes no CUDA call, takes
 * no lock and starts no thread. The owning context's lock is held around every
 * call but `open`, `close` and `span`, so no two calls for one pool overlap.
 * What the pool can't serve, mnm takes from the driver.
 *
 * There are pools whose blocks are whole allocations of the driver's, and pools
 * that place blocks in regions (place.h). Which members of struct mnm_pool_ops
 * they have tells them apart. */
#ifndef MNM_POOL_H
#define MNM_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mnm/place.h>
#include <mnm/size_class.h>

/* The version of this contract. A plug-in of another one is not loaded. */
#define MNM_POOL_VERSION 1

/* The addresses of blocks are multiples of it, and so are the spans of a pool
 * that places or has size classes. */
#define MNM_SPAN_UNIT ((size_t)512)

/* Epochs count up. The epoch of memory that nobody has had before: */
#define MNM_EPOCH_NEVER ((uint64_t)0)

/* What is freed in a stream's order has a number below it, from 1 on. */
enum { MNM_STREAMS = 256 };

/* An idle block, whose memory is one allocation of the driver's. mnm makes and
 * ends these records; a pool links them by next, and changes nothing else. */
struct mnm_block {
	uint64_t stream; /* in whose order it was freed; or 0 */
	size_t span;     /* bytes */
	uint64_t epoch;  /* in which it was freed */
	struct mnm_block *next;
};

/* Blocks of one span and one stream, linked by next, the oldest free first. */
struct mnm_block_list {
	struct mnm_block *head, *tail; /* head: NULL if empty */
	size_t count;
};

enum { MNM_IDLE_COUNTS = 256 };

struct mnm_pool_ops;

/* The first member of each pool's own struct, zeroed before open. */
struct mnm_pool {
	struct mnm_size_classes classes; /* set by open; may stay zero */
	/* Set by open, 0 to 100. If a fresh block leaves less than so many
	 * percent of the device's memory free, all that is idle goes back
	 * before. */
	unsigned int headroom;
	/* The rest is mnm's; a pool only reads it. */
	const struct mnm_pool_ops *ops;
	enum mnm_backing backing; /* what its regions are to be made of */
	size_t live_count;        /* blocks with the program, or on their way */
	size_t live_span;         /* bytes reserved for them */
	size_t region_bytes; /* of the driver's memory, in all its regions */
	size_t apart;        /* parts that are about to move, and come back */
	struct mnm_region *growing; /* the one of virtual memory; or NULL */
	/* Idle blocks by a hash of their spans, see mnm_pool_idle_add. */
	uint32_t idle[MNM_IDLE_COUNTS];
};

static inline size_t mnm_pool_idle_at(size_t span)
{
	return span * UINT64_C(0x9e3779b97f4a7c15) >> 56;
}

/* A pool with size classes whose blocks are whole allocations says how many
 * idle blocks of a span it has got, or has lost (negative). */
static inline void mnm_pool_idle_add(struct mnm_pool *pool, size_t span,
				     size_t change)
{
	uint32_t *count = &pool->idle[mnm_pool_idle_at(span)];

	__atomic_store_n(count, *count + (uint32_t)change, __ATOMIC_RELAXED);
}

enum mnm_answer {
	MNM_HIT,    /* *block, or *place, is the caller's */
	MNM_MISS,   /* nothing idle fits */
	MNM_UNSAFE, /* what fits is not ready for this request; see below */
};

/* What is asked of a pool. The arrays have MNM_STREAMS elements; each may be
 * NULL. */
struct mnm_request {
	size_t span;         /* see `span` below */
	size_t slack;        /* so many more bytes are welcome */
	uint64_t safe;       /* memory of epochs below is ready */
	unsigned int stream; /* in whose order it is made; or 0. What was freed
			      * in the same one is ready */
	/* What was freed in a stream's order, in an epoch below, is ready. */
	const uint64_t *behind;
	/* The same, of streams that wait for the legacy stream, in whose order
	 * the request is made. */
	const uint64_t *passes;
	/* The same, of what the host has seen the end of. */
	const uint64_t *over;
};

static inline bool mnm_epoch_is_below(const uint64_t *epochs,
				      unsigned int stream, uint64_t epoch)
{
	return epochs &&
	       epoch < __atomic_load_n(&epochs[stream], __ATOMIC_RELAXED);
}

/* Whether memory that was freed in that epoch, in the order of that stream, is
 * ready for a request: all that was done with it is ordered before what its new
 * holder does. No pool may hand out memory that is not. */
static inline bool mnm_request_is_behind(const struct mnm_request *request,
					 unsigned int stream, uint64_t epoch)
{
	return epoch < request->safe ||
	       (stream && (stream == request->stream ||
			   mnm_epoch_is_below(request->behind, stream, epoch) ||
			   mnm_epoch_is_below(request->passes, stream, epoch) ||
			   mnm_epoch_is_below(request->over, stream, epoch)));
}

static inline bool mnm_block_is_ready(const struct mnm_block *block,
				      const struct mnm_request *request)
{
	return mnm_request_is_behind(request, (unsigned int)block->stream,
				     block->epoch);
}

/* The program's options that pools share; docs/options.md explains them. */
struct mnm_pool_options {
	size_t size;         /* of the struct; fields may be added at its end */
	size_t page_size;    /* power of two, 512 to 2 MiB */
	size_t size_classes; /* per octave, power of two; 0: each page */
	unsigned int round_cutoff; /* log2 of bytes, 20 to 34 */
	unsigned int headroom;     /* percent */
	unsigned int vmm_spare;    /* percent */
};

struct mnm_pool_ops {
	const char *name; /* of a-z, 0-9 and _, at most 63 bytes */
	size_t size;      /* of the pool's own struct */

	/* Returns false without memory. May be NULL. Several pools of a kind
	 * may be opened at once, by several threads. */
	bool (*open)(struct mnm_pool *pool,
		     const struct mnm_pool_options *options);
	/* Ends the pool, which holds no idle block any more. May be NULL. */
	void (*close)(struct mnm_pool *pool);
	/* The bytes that a request of size > 0 takes, or 0 if it can't be
	 * served. Up to `slack` bytes more than it needs, where that lets the
	 * block serve others: the more slack, the fewer spans there are. The
	 * answer depends on the arguments and the pool's options alone. */
	size_t (*span)(const struct mnm_pool *pool, size_t size, size_t slack);
	/* alloc, free and trim are NULL in a pool that keeps nothing, whose
	 * spans are the sizes of their requests, and in one that places. */

	/* Looks for an idle block of span bytes, or of up to `slack` more, that
	 * is ready (mnm_block_is_ready). */
	enum mnm_answer (*alloc)(struct mnm_pool *pool,
				 const struct mnm_request *request,
				 struct mnm_block **block);
	/* Keeps a freed block, which has its epoch and its stream. Returns
	 * false if it does not: then mnm gives the block back to the driver. */
	bool (*free)(struct mnm_pool *pool, struct mnm_block *block);
	/* As alloc and free, for several blocks of one span and one stream: the
	 * first takes up to `most` of the request's span and stream. The first
	 * of them has to be ready, and the others should be: mnm looks at each
	 * again before it serves. The second gets a list that is not empty.
	 * Both are NULL in a pool without size classes. */
	struct mnm_block_list (*alloc_batch)(struct mnm_pool *pool,
					     const struct mnm_request *request,
					     size_t most);
	bool (*free_batch)(struct mnm_pool *pool,
			   const struct mnm_block_list *list);
	/* Hands over idle blocks of at least so many bytes in all, linked by
	 * next: as few as it can, or every one if that is not enough. It may be
	 * SIZE_MAX, and so may the bytes of `part`. */
	struct mnm_block *(*trim)(struct mnm_pool *pool, size_t bytes);

	/* A pool that places blocks has these; others have none of them.
	 *
	 * As alloc: takes free bytes out of a region, request->span or up to
	 * MNM_REGION_PAGE more, that are ready. */
	enum mnm_answer (*place)(struct mnm_pool *pool,
				 const struct mnm_request *request,
				 struct mnm_place *place);
	/* These bytes are free: a region, or what it has grown by, or those of
	 * a block. Returns false without memory, which never happens to the
	 * bytes of a block. */
	bool (*add)(struct mnm_pool *pool, const struct mnm_place *place);
	/* What is needed so that place finds span bytes. `grows` is the region
	 * of virtual memory that will grow, at its end, by all of it; NULL:
	 * there will be a new region, of fresh bytes only. */
	void (*lacks)(struct mnm_pool *pool, size_t span,
		      const struct mnm_region *grows, enum mnm_growth rule,
		      struct mnm_lack *lack);
	/* Hands over free bytes: a whole region, or pages of a virtual one, at
	 * most so many bytes unless a region can only go whole. Returns false
	 * if there are none. `moves`: they have to be pages of the region that
	 * grows, and will be the pool's again at its end. */
	bool (*part)(struct mnm_pool *pool, size_t bytes, bool moves,
		     struct mnm_place *place);
	/* Hands over a whole region that has been free for as many requests as
	 * *age says, or for more; 0 stands for the average of all that are
	 * free, and is replaced by it. Returns false if there is none. May be
	 * NULL. */
	bool (*part_aged)(struct mnm_pool *pool, uint64_t *age,
			  struct mnm_place *place);
	/* Whether a region of virtual memory grows, and can give parts back. If
	 * not, each is as large as lacks says, and goes back whole. */
	bool grows;
};

/* A pool of a plug-in. */
struct mnm_pool_row {
	const struct mnm_pool_ops *ops;
	const char *summary; /* a line of at most 200 bytes, for `mnm pools` */
	/* What its regions are made of if the user names nothing else;
	 * MNM_BACKING_NONE for a pool that does not place. */
	enum mnm_backing backing;
};

/* A plug-in is a shared object that exports `mnm_plugin`, of this type. */
struct mnm_plugin {
	uint32_t version; /* MNM_POOL_VERSION */
	uint32_t count;   /* of rows */
	const struct mnm_pool_row *rows;
};

#ifdef __cplusplus
#define MNM_PLUGIN extern "C" __attribute__((visibility("default"), used)) const
#else
#define MNM_PLUGIN __attribute__((visibility("default"), used)) const
#endif

/* A plug-in defines it so:
 * MNM_PLUGIN struct mnm_plugin mnm_plugin = {MNM_POOL_VERSION, 1, rows}; */
#ifdef __cplusplus
extern "C"
#else
extern
#endif
	__attribute__((visibility("default")))
	const struct mnm_plugin mnm_plugin;

#endif
