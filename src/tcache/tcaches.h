/* What the parts of the caches share. tcache.c says when caches are closed,
 * tcache_record.c which there are, tcache_rooms.c how much they hold,
 * tcache_blocks.c and tcache_spans.c what is in them, and tcache_raids.c what
 * other threads take out of them. What they count is in
 * stats/thread_stats.c. */
#ifndef MNM_TCACHES_H
#define MNM_TCACHES_H

#include "block/block.h"
#include "tcache.h"

/* The least span that is looked for in other threads' caches before memory is
 * taken from the driver. */
enum { RAID_LEAST = 1 << 20 };

extern struct tcache *_Atomic caches; /* all, linked by next */

extern const struct tcache_source *tcache_source;

/* Taken last of all locks, but for that of stats/thread_stats.c. */
void tcaches_lock(void);
void tcaches_unlock(void);

/* Under that lock. A reason to be closed comes, or goes. */
void tcache_close(struct tcache *cache, unsigned int reason);
void tcache_open(struct tcache *cache, unsigned int reason);

/* Under that lock, after some caches were closed. When this returns, none of
 * these is busy, nor will be until it is opened. */
void tcaches_wait(void);

/* Under that lock. The cache's blocks are of this pool from now on, or of none
 * (NULL). The former pool has counted all that are its own. */
void tcache_serve(struct tcache *cache, struct pool *pool);

/* The bytes that the cache may hold now; stats.idle.most may not say so yet. */
int64_t tcache_room(const struct tcache *cache);

/* Under that lock and the context's, by the cache's own thread or the one that
 * has closed it: sets its room, and moves out what is beyond that. The second
 * does so for all caches of the context. */
void tcache_fit(struct tcache *cache);
void tcaches_recompute_rooms(struct context *context);

/* Under that lock. The first: a record of a cache, closed and without a
 * context, or NULL without memory. The second ends such a cache, which is
 * empty, and whose thread has ended. */
struct tcache *tcache_record(struct device *device);
void tcache_spare(struct tcache *cache);

/* The magazine that has blocks of a key, or NULL. In another thread's cache
 * that may change at once. */
struct magazine *magazine_find(struct tcache *cache, size_t key);

/* Under the context's lock, by the cache's own thread or the one that has
 * closed it. The first: whether the first block is of an epoch below `below`.
 * The second moves up to `most` blocks of such epochs into the pool. */
static inline bool magazine_has(const struct magazine *magazine, uint64_t below)
{
	return magazine->head && magazine->head->epoch < below;
}
void magazine_move(struct tcache *cache, struct magazine *magazine, size_t most,
		   uint64_t below);

/* Likewise, moves such blocks of a range of spans, freed in whatever stream.
 * Returns whether there were any. */
bool tcache_move(struct tcache *cache, size_t least, size_t most,
		 uint64_t below);

/* As tcache_move, but only the first block of each key, and no more once one of
 * these is ready for the request. */
bool tcache_move_first(struct tcache *cache, const struct mnm_request *request,
		       size_t most, uint64_t below);

/* Likewise, moves the largest blocks, of at least so many bytes in all. */
void tcache_move_largest(struct tcache *cache, size_t bytes);

/* Likewise, moves one block of a span. Returns false if there is none. */
bool tcache_move_one(struct tcache *cache, size_t span);

/* Likewise, forgets keys of which there are no blocks any more. */
void tcache_prune(struct tcache *cache);

/* The last key that has at most that span. */
static inline size_t key_last(size_t span)
{
	return block_key(key_span(span), STREAM_NUMBERS - 1);
}

/* Likewise. The first: others took its blocks, and it gets none until its
 * thread has often asked for some. The second: how many blocks others leave it
 * while its thread is at work. */
void magazine_lose(struct magazine *magazine);
size_t magazine_keeps(const struct magazine *magazine);

/* The first, by the cache's own thread, by the one that has closed it, or under
 * the context's lock: the place in `keys` of the first key of at least this
 * one. The second, by its own thread and under that lock: gives an empty
 * magazine to another key. */
size_t tcache_place(const struct tcache *cache, size_t key);
void tcache_rename(struct tcache *cache, struct magazine *magazine, size_t key);

/* Likewise, takes an empty magazine from its key. */
void tcache_unname(struct tcache *cache, struct magazine *magazine);

/* While the cache is busy. The span of a request without slack, or 0 if the
 * cache is closed. */
size_t tcache_span(struct tcache *cache, size_t size);

/* By the cache's own thread; see roomy.h. The first two may take a new lease.
 * They say whether the lease has bytes to spare, and make room to note a free.
 * Then, while the cache is busy: what is noted of a request and of a free; the
 * place of a span, as tcache_place; the last key of blocks that may serve a
 * request of a span; and whether nobody but the cache may have blocks of it. */
bool roomy_may(struct tcache *cache);
void roomy_make_room(struct tcache *cache);
void roomy_lend(struct roomy *roomy, size_t span, size_t given);
void roomy_return(struct tcache *cache, struct block *block);
size_t roomy_place(struct tcache *cache, size_t span);
size_t roomy_last(const struct tcache *cache, size_t span);
bool roomy_is_alone(const struct tcache *cache, size_t span);

/* Under that lock and the context's, by the cache's own thread or the one that
 * has closed it. The first moves all blocks into their pool; the cache has no
 * pool then. The second moves as many as are beyond its room, the largest
 * first. */
void tcache_empty(struct tcache *cache);
void tcache_shed(struct tcache *cache);

/* Likewise: the cache has to do with no course any more. */
void tcache_course_leave(struct tcache *cache);

/* Sets what the fast path sees of the cache's course. */
void tcache_course_show(struct tcache *cache);

/* Sets how many bytes the fast path may free along it. The cache need not be
 * closed. */
void tcache_course_fit(struct tcache *cache);

/* Likewise: forgets the raids of others. */
void tcache_pardon(struct tcache *cache);

#endif
