/* What the parts of the caches share: tcache.c says when they are closed,
 * tcache_record.c which there are, tcache_rooms.c how much they hold,
 * tcache_blocks.c and tcache_spans.c what is in them, tcache_raids.c what
 * others take of it. What they count is in stats/thread_stats.c. */
#ifndef MNM_TCACHES_H
#define MNM_TCACHES_H

#include "block/block.h"
#include "tcache.h"

extern struct tcache *_Atomic caches; /* all, linked by next */

extern const struct tcache_source *tcache_source;

/* Taken last of all locks, but for that of stats/thread_stats.c. */
void tcaches_lock(void);
void tcaches_unlock(void);

/* Under that lock: a reason to be closed comes, or goes. */
void tcache_close(struct tcache *cache, unsigned int reason);
void tcache_open(struct tcache *cache, unsigned int reason);

/* Under that lock, after some were closed: none of these is busy when this
 * returns, until it is opened. */
void tcaches_wait(void);

/* Under that lock: its blocks are of this pool now, or NULL; none of a former
 * one is left to be counted by that. */
void tcache_serve(struct tcache *cache, struct pool *pool);

/* The bytes that it may hold now, which cache->room may not say yet. */
int64_t tcache_room(const struct tcache *cache);

/* By its own thread, or who has closed it; under that lock, and the context's:
 * it holds no more than that. And so do all of the context's. */
void tcache_fit(struct tcache *cache);
void tcaches_recompute_rooms(struct context *context);

/* Under that lock: a record of a cache, closed and without a context; NULL: no
 * memory. And the thread of an empty one, as that, has ended. */
struct tcache *tcache_record(struct device *device);
void tcache_spare(struct tcache *cache);

/* The magazine that has blocks of a span, or NULL. Others' may change at once.
 */
struct magazine *magazine_find(struct tcache *cache, size_t span);

/* By its own thread, or who has closed it; under the context's lock. Whether
 * the first block is of an epoch below one; and so many blocks of such epochs
 * move into the pool. */
static inline bool magazine_has(const struct magazine *magazine, uint64_t below)
{
	return magazine->head && magazine->head->epoch < below;
}
void magazine_move(struct tcache *cache, struct magazine *magazine, size_t most,
		   uint64_t below);

/* Likewise, those of a range of spans. Whether there were any. */
bool tcache_move(struct tcache *cache, size_t least, size_t most,
		 uint64_t below);

/* Likewise: others took its blocks, and it has none until its thread has often
 * asked for them; and those that others leave it, where that is at work. */
void magazine_lose(struct magazine *magazine);
size_t magazine_keeps(const struct magazine *magazine);

/* By its own thread, or who has closed it: the place among `spans` of the first
 * of at least so many bytes. By its own, under the context's lock: an empty
 * magazine is another span's now. */
size_t tcache_place(const struct tcache *cache, size_t span);
void tcache_rename(struct tcache *cache, struct magazine *magazine,
		   size_t span);

/* By its own thread, or who has closed it; under that lock, and the context's:
 * all blocks move into their pool, and the cache has none; or so many, the
 * largest first, that it is within its room. */
void tcache_empty(struct tcache *cache);
void tcache_shed(struct tcache *cache);

/* Likewise: what others have wanted of it is its own again. */
void tcache_pardon(struct tcache *cache);

#endif
