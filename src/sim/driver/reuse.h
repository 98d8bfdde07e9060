/* Which streams may have the memory of a block that was freed into its pool.
 * All calls need the lock. */
#ifndef SIM_REUSE_H
#define SIM_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "fence.h"

struct block;
struct stream;

/* The policies of a pool, in the order of their attributes. */
enum { FOLLOW_EVENTS, OPPORTUNISTIC, INTERNAL, POOL_REUSES };

/* The place of a free in its stream. */
struct freed {
	struct stream *stream;
	unsigned lane; /* of the stream; see past.h */
	uint64_t position;
	uint64_t end; /* virtual */
	struct fence fence;
};

/* How a stream may have a block, the better way last. */
enum reuse {
	REUSE_NEVER,
	REUSE_WAITING, /* if it is made to wait for the free */
	REUSE_BY_LUCK, /* the free happens to be complete */
	REUSE_ORDERED, /* it is ordered behind the free */
	REUSE_OWN, /* freed in this stream, or the host knows it is complete */
};

/* A stream that asks. */
struct asker {
	struct stream *stream;
	struct fence before; /* of its next operation; empty until needed */
	bool ready;          /* `before` is filled in */
};

/* Notes that the block's free is the last operation of the stream. */
void freed_note(struct freed *freed, struct stream *stream);
/* Whether the free is complete, and the host knows it. NULL stands for a block
 * that was never freed. */
bool freed_is_known(const struct freed *freed);
/* Whether it is complete. */
bool freed_is_done(const struct freed *freed);
/* The best way in which those policies let the stream have the block. */
enum reuse reuse_rank(const struct block *block, const int *policies,
		      struct asker *asker);
/* Makes later work of the stream come behind the free in that way. Returns
 * false when memory is short. */
bool reuse_order(struct stream *stream, const struct block *block,
		 enum reuse how);

#endif
