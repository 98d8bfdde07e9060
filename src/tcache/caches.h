/* What the parts of the caches share: cache.c says when they are shut,
 * cache_record.c which there are, cache_rooms.c how much they hold,
 * cache_blocks.c and cache_spans.c what is in them, cache_raids.c what others
 * take of it, cache_figures.c what they count.
 */
#ifndef MNM_CACHES_H
#define MNM_CACHES_H

#include "block/block.h"
#include "cache.h"

extern struct cache *_Atomic caches; /* all, linked by next */

extern const struct cache_source *cache_source;

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

/* The bytes that it may hold now, which cache->room may not say yet. */
int64_t cache_room(const struct cache *cache);

/* By its own thread, or who has shut it; under that lock, and the context's: it
 * holds no more than that. And so do all of the context's. */
void cache_fit(struct cache *cache);
void caches_review_rooms(struct context *context);

/* Under that lock: a record of a cache, shut and without a context; NULL: no
 * memory. And the thread of an empty one, as that, has ended. */
struct cache *cache_record(struct device *device);
void cache_spare(struct cache *cache);

/* Under that lock: what it has counted is its device's, and it counts from
 * nothing. */
void cache_forget(struct cache *cache);

/* By its own thread, or who has shut it; under that lock: it is not alone any
 * more. */
void cache_look_soon(struct cache *cache);

/* Under that lock, with all of them shut: what they have reserved is claimed
 * and counted by the devices. */
void caches_count_reserved(void);

/* The magazine that has blocks of a span, or NULL. Others' may change at once.
 */
struct magazine *magazine_find(struct cache *cache, size_t span);

/* By its own thread, or who has shut it; under the context's lock. Whether the
 * first block is of an epoch below one; and so many blocks of such epochs move
 * into the pool. */
static inline bool magazine_has(const struct magazine *magazine, uint64_t below)
{
	return magazine->head && magazine->head->epoch < below;
}
void magazine_move(struct cache *cache, struct magazine *magazine, size_t most,
		   uint64_t below);

/* Likewise, those of a range of spans. Whether there were any. */
bool cache_move(struct cache *cache, size_t least, size_t most, uint64_t below);

/* Likewise: others took its blocks, and it has none until its thread has often
 * asked for them; and those that others leave it, where that is at work. */
void magazine_lose(struct magazine *magazine);
size_t magazine_keeps(const struct magazine *magazine);

/* By its own thread, or who has shut it: the place among `spans` of the first
 * of at least so many bytes. By its own, under the context's lock: an empty
 * magazine is another span's now. */
size_t cache_place(const struct cache *cache, size_t span);
void cache_rename(struct cache *cache, struct magazine *magazine, size_t span);

/* By its own thread, or who has shut it; under that lock, and the context's:
 * all blocks move into their pool, and the cache has none; or so many, the
 * largest first, that it is within its room. */
void cache_empty(struct cache *cache);
void cache_shed(struct cache *cache);

/* Likewise: what others have wanted of it is its own again. */
void cache_pardon(struct cache *cache);

#endif
