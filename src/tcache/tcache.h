/* A cache: idle blocks that a thread keeps for itself, in front of a context's
 * pool.
 *
 * Most requests and frees are served here, by fast.h, without a lock and with
 * one atomic step. Caches are closed whenever more has to be done: during a
 * capture, under pressure, while a context is ending, at the level at which
 * each free waits, and while blocks are to go back. Then every call takes the
 * slow path (mem.c, mem_free.c), and so it does on a kernel without
 * membarrier(2). Where no fence reaches, the free that fills the quarantine has
 * to wait. Caches are open there but have little room, so that frees are soon
 * on the slow path, which waits if it has to.
 *
 * While a cache is `busy`, its magazines belong to its own thread alone. Once
 * it is not busy, they belong to the thread that has closed it. To close a
 * cache, a thread sets `closed`, so that the cache shows neither a unit nor the
 * index. Then it makes all threads pass a barrier by membarrier(2), and waits
 * until the cache is not busy. So the cache's own thread, which sets `busy` and
 * then reads the unit or the index, needs no barrier of its own (Dekker's
 * protocol, made asymmetric). */
#ifndef MNM_TCACHE_H
#define MNM_TCACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block/block_index.h"
#include "context/context.h"
#include "stats/thread_stats.h"
#include "pools/course.h"
#include "pools/pool.h"
#include "roomy.h"

enum {
	MAGAZINE_BITS = 12,
	MAGAZINES = 1 << MAGAZINE_BITS,
	MAGAZINE_HASH = 35, /* the lowest of these bits in the hash */
	MAGAZINE_SHIFT = 5, /* log2 of the bytes of a magazine */
	MAGAZINE_LOST = 1,  /* a bit in a key; no block's key has it */
};

/* Idle blocks of one key (block.h), the oldest free first, as in
 * page_unit_pool. The slow path changes the key while the magazine is empty.
 * Other threads may look at the head and the key at any time: the thread that
 * the cache belongs to changes them by atomic stores, and reads them as they
 * are. */
struct magazine {
	struct block *head;
	struct block *tail;
	size_t key; /* | MAGAZINE_LOST: empty, as others wanted its blocks */
	uint32_t wanted; /* how often by other keys, while it was empty */
	uint16_t raids;  /* how often others took its blocks */
	uint16_t owed;   /* requests for its key, to make up for a raid */
};
_Static_assert(sizeof(struct magazine) == 1 << MAGAZINE_SHIFT, "as said");

/* Why a cache is closed. */
enum {
	CLOSED_RULE = 1,   /* see tcache_must_close */
	CLOSED_LOOKUP = 2, /* the current context has to be asked for */
	CLOSED_OTHER = 4,  /* another thread works on it */
	CLOSED_ROOM = 8,   /* it holds more than it may now */
};

/* For a pool that keeps nothing; see pass_through.h. Words that change at once
 * are no neighbours, as in struct thread_stats. */
struct pass_through {
	int64_t outstanding;       /* blocks the pool has yet to be told of */
	struct pool *_Atomic open; /* the pool, while the cache is not closed */
	int64_t outstanding_span;  /* bytes of those blocks */
	struct pool *pool;         /* the active one; or NULL */
};

/* What the thread remembers of a stream, see fast_stream.h. It is true as long
 * as it is there: who changes that has all calls pass, which clears it. The
 * atomic members may be read before the thread knows that its cache is open. */
struct stream_way {
	/* stream_key, maybe with WAY_MARKS; WAY_NONE: nothing is remembered.
	 * The second is for requests that name no pool: WAY_NONE if this way
	 * is of those that do. */
	_Atomic uintptr_t key, asks;
	const void *_Atomic pool;    /* CUDA's, as requests name it, or NULL */
	_Atomic unsigned int number; /* of the stream, not 0 */
	bool beside;     /* blocks of other streams may do as well */
	uintptr_t owner; /* of blocks of the cache's pool and that of CUDA's */
};

/* A mark is due after each request and free (order/legacy.h). The key is none
 * that is looked for on the fast path, so these take the longer one. */
#define WAY_MARKS ((uintptr_t)1 << 63)
#define WAY_NONE  UINTPTR_MAX

enum { STREAM_WAYS = 16 };

/* What plain requests and frees look at is in the first three lines: they took
 * a nanosecond more a pair where it was in four. */
struct tcache {
	_Atomic unsigned int busy;   /* its thread is using it */
	_Atomic unsigned int closed; /* reasons, as above */
	/* Set under the caches' lock. Closed: 0 and block_table_none. Open: the
	 * unit of its pool, or 0 if not each multiple of that is a span, and
	 * the index, which may have been replaced since. */
	_Atomic size_t unit;
	struct block_table *_Atomic table;
	/* The classes of its pool, if not each multiple of the unit is a span,
	 * or if a recording is made; NULL when closed. */
	const struct mnm_size_classes *_Atomic divided;
	struct pool *pool;              /* that its blocks belong to, or NULL */
	_Atomic uint64_t *epoch, *safe; /* of its device */
	struct device *device;
	/* What the thread counts; its idle bytes are those in magazines. */
	struct thread_stats stats;
	struct stream_way way; /* as of the stream used last */
	struct pass_through pass_through;
	struct roomy roomy;
	/* See tcache_course.c. What lies along this course is freed by the
	 * thread itself; NULL: there is none. Under the caches' lock. */
	struct course *course;
	/* While it is open, the index, else block_table_none. `table` and
	 * `unit` are not shown while a recording is made (record/ring.h):
	 * fast.h finds nothing then, and goes on to what notes each request and
	 * free. */
	struct block_table *_Atomic index;
	_Atomic bool recorded;
	/* As a recording names them. */
	_Atomic uint8_t device_number, pool_number;
	/* What the fast path sees of it: the index, or block_table_none; and
	 * the course if the cache holds it. */
	struct block_table *_Atomic planned;
	struct course *_Atomic steps;
	/* Bytes that were freed since the slow path looked last; and how many
	 * may be until it is to look again, which others change. */
	int64_t planned_freed;
	_Atomic int64_t planned_room;
	_Atomic unsigned int sharers;    /* caches of its context */
	struct context *_Atomic context; /* NULL: a spare record */
	struct tcache *next_own;         /* of its thread, or of the spares */
	struct tcache *next;             /* of all that are not spare */
	struct stream_way ways[STREAM_WAYS];
	unsigned int next_way; /* to be overwritten */
	/* What it had counted when others last looked, and how many looks since
	 * then have found nothing new. */
	int64_t work_seen;
	unsigned int idle_looks;
	unsigned int refused; /* times that there was no room for a key */
	/* Magazines that have a key, the least first: how many there are,
	 * their keys, and their places in `magazines`. */
	size_t named;
	size_t hand; /* the last of these that had to make room */
	size_t keys[MAGAZINES];
	uint16_t names[MAGAZINES];
	struct magazine magazines[MAGAZINES] __attribute__((aligned(64)));
};

/* The calling thread's cache for the current context. The first serves frees.
 * The second serves requests: it is a cache only if it is sure that no other
 * context is current. The third serves requests of a shared runtime: it is a
 * cache only if the runtime uses that same context. They are never NULL:
 * tcache_none stands for no cache, and is always closed. */
extern __thread struct tcache *tcache_current, *tcache_verified,
	*tcache_runtime;
extern struct tcache tcache_none;

static inline void magazine_set(struct magazine *magazine, struct block *block)
{
	__atomic_store_n(&magazine->head, block, __ATOMIC_RELAXED);
}

/* A key has two places: this one and its neighbour. The hash is
 * multiplicative. Its factor and its bits are the best of 400,000 that were
 * tried on up to 700 spans of 512 B to 32 MiB, in steps, at random, and in
 * powers of two: one span in 12 is at its second place on average, and one in 7
 * at worst. */
static inline struct magazine *magazine_at(struct tcache *cache, size_t key)
{
	uint64_t hash = key * UINT64_C(0x7d997f55);
	size_t offset = hash >> (MAGAZINE_HASH - MAGAZINE_SHIFT) &
			(MAGAZINES - 1) * sizeof(struct magazine);

	return (struct magazine *)((char *)cache->magazines + offset);
}

static inline struct magazine *magazine_beside(struct magazine *magazine)
{
	return (struct magazine *)((uintptr_t)magazine ^
				   sizeof(struct magazine));
}

/* The calling thread's cache of the context, which is current, made at first
 * use; tcache_none if it can't have one. */
struct tcache *tcache_attach(struct context *context);

/* The bytes that a cache may hold if the context has several. To be called
 * before there are caches. */
void tcaches_room_set(size_t bytes);

/* What the caches need of the layer above. The first puts blocks of one key
 * back into their pool. The second takes up to `most` blocks out of it, of the
 * request's span and stream, that are ready. Both are called under the
 * context's lock. The third says how many bytes may be idle on a device;
 * SIZE_MAX if any number may. The last is told of events, the oldest first, and
 * sets a lease for one of `sharers` caches. */
struct tcache_source {
	void (*free_batch)(const struct block_list *list);
	struct block_list (*alloc_batch)(struct pool *pool,
					 const struct mnm_request *request,
					 size_t most);
	size_t (*idle_most)(const struct device *device);
	void (*lease)(struct device *device, const struct roomy_event *events,
		      size_t count, unsigned int sharers, struct lease *lease);
};

/* To be called while the process has one thread, if possible; see
 * barrier_open. */
void tcaches_open(const struct tcache_source *source);

/* The calling thread's cache, if it is in front of this heap; or NULL. */
struct tcache *tcache_of(const struct heap *heap);

/* Says that the shared runtime binds a device to a thread at once, so that the
 * context which it will use is the current one. */
void tcaches_bind(void);

/* The calling thread's current context is about to change. */
void tcache_invalidate(void);

/* The calling thread's current context, if it is known without asking for it;
 * or NULL. */
struct context *tcache_verified_context(void);

/* Begin: the current context is about to be asked for. End: it is this one, or
 * NULL if there is none; `sure` if it can change only where we see it. */
void tcache_lookup_begin(void);
void tcache_lookup_end(const struct context *context, bool sure);

/* Under the context's lock. Makes this the pool of the cache, if it has size
 * classes. The cache is the calling thread's or NULL. */
void tcache_adopt(struct tcache *cache, struct pool *pool);

/* Serves a request that fast.h did not serve from the calling thread's cache,
 * if not each multiple of a unit is a span of the cache's pool. Returns false
 * if it does not. */
bool tcache_alloc_division(struct tcache *cache, size_t size, uint64_t *addr);

static inline bool tcache_alloc_divided(struct tcache *cache, size_t size,
					uint64_t *addr)
{
	return atomic_load_explicit(&cache->divided, memory_order_relaxed) &&
	       tcache_alloc_division(cache, size, addr);
}

/* The same by the next place of a plan, if the cache holds the course. */
bool tcache_alloc_step(struct tcache *cache, size_t size, uint64_t *addr);

static inline bool tcache_alloc_planned(struct tcache *cache, size_t size,
					uint64_t *addr)
{
	return atomic_load_explicit(&cache->steps, memory_order_relaxed) &&
	       tcache_alloc_step(cache, size, addr);
}

/* Under the context's lock, for the calling thread's cache or NULL. The first:
 * the cache frees what lies along the course. The second: it also holds the
 * course, which nobody holds. */
void tcache_course_join(struct tcache *cache, struct course *course);
void tcache_course_hold(struct tcache *cache, struct course *course);

/* Under the context's lock; see struct course_doors. */
void tcaches_course_recall(struct course *course);
void tcaches_course_close(struct course *course);

/* The same by a larger block, if the cache's lease allows that. Not if a block
 * of the request's span might be found elsewhere. */
bool tcache_alloc_roomy(struct tcache *cache, size_t size, uint64_t *addr);

/* Tells what has happened to roomy blocks in the calling thread's cache, and
 * takes a new lease. */
void tcache_settle(struct tcache *cache);

/* Serves a request from the cache, which is the calling thread's or NULL, by a
 * block with up to `slack` bytes to spare, which has the mark BLOCK_ROOMY then.
 * Returns that block's span, or 0 if it has none that is safe. */
size_t tcache_alloc_slack(struct tcache *cache, size_t size, size_t slack,
			  uint64_t *addr);

/* Both under the context's lock; both give the key a magazine if there is an
 * empty one. Refill moves blocks that are ready from the pool into the cache.
 * Put takes a block that was just freed in the order of a stream, or of none
 * (0), into the cache; if that is full, other blocks move into the pool. It
 * returns false if it does not take the block. */
void tcache_refill(struct tcache *cache, const struct mnm_request *request);
bool tcache_put(struct tcache *cache, struct block *block, unsigned int stream);

/* Under the context's lock. Moves blocks of the request's span, freed in
 * whatever stream, into the heap's pool: from the cache, which is the calling
 * thread's or NULL, what the request needs; and from other threads' caches, if
 * the span is large, what these do not need. `all`, if memory is short: from
 * all caches, and also blocks with bytes to spare. Returns whether there were
 * any. */
bool tcaches_raid(struct heap *heap, struct tcache *cache,
		  const struct mnm_request *request, bool all);

/* Whether the calling thread has no cache of the context, and others have
 * blocks of the span in theirs. */
bool tcaches_have(const struct context *context, size_t span);

/* Under the context's lock. Moves all blocks of all caches into the heap's
 * pool; the caches have no pool then. */
void tcaches_flush(struct heap *heap);

/* Likewise, so that blocks may go back. The first does so if other threads have
 * caches. The others keep in the calling thread's cache what need not go: the
 * second moves one block of a span, and returns false if there is none. The
 * third moves the largest, of at least so many bytes in all. */
void tcaches_flush_others(struct heap *heap);
bool tcache_give_one(struct heap *heap, size_t span);
void tcaches_flush_largest(struct heap *heap, size_t bytes);

/* To be called when something has changed that tcache_must_close looks at, on
 * one device or on all (NULL). When this returns, no call is on the fast path
 * that should not be. */
void tcaches_recompute(const struct device *device);

/* With a limit, all threads have to see every claim at once. So while there is
 * one no request passes through (pass_through.h), and what was reserved by such
 * requests is counted with the rest. */
void tcaches_limit(bool limited);

/* When this returns, every call that was on the fast path before has left it,
 * and no thread remembers a stream. */
void tcaches_pass(void);

/* The same, and each thread has to ask again which context is current. */
void tcaches_invalidate(void);

#endif
