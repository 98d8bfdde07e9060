/* What the two halves of the caches share: cache.c has the records and when
 * they are shut, cache_blocks.c what is in them. */
#ifndef MNM_CACHES_H
#define MNM_CACHES_H

#include "cache.h"

extern struct cache *_Atomic caches; /* all, linked by next */

/* Taken last of all locks. */
void caches_lock(void);
void caches_unlock(void);

/* Under that lock: a reason to be shut comes, or goes. */
void cache_shut(struct cache *cache, unsigned int reason);
void cache_open(struct cache *cache, unsigned int reason);

/* Under that lock, after some were shut: none of these is busy when this
 * returns, until it is opened. */
void caches_wait(void);

/* Under that lock: its blocks are of this pool now, or NULL; none of a former
 * one is left to be counted by that. */
void cache_serve(struct cache *cache, struct pool *pool);

/* Under that lock, and the context's: what each of its caches may hold. */
void caches_review_rooms(const struct context *context);

/* By its own thread, or who has shut it; under that lock, and the context's:
 * all blocks move into their pool, and the cache has none. */
void cache_empty(struct cache *cache);

#endif
