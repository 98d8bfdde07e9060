/* Idle blocks that a thread keeps for itself, in front of a context's pool.
 *
 * Most requests and frees are served here, by fast.h, without a lock and
 * with one atomic step. All that is not plain closes the caches: a capture,
 * pressure, a context that is ending, the level at which each free waits,
 * blocks that are to go back. Where no fence reaches, the free that fills the
 * quarantine waits: a cache has little room there, so that frees are soon on
 * the slow path, which asks. Then every call takes the slow path (mem.c), and
 * so it does on a kernel without membarrier(2).
 *
 * A cache's magazines are its thread's alone while it is `busy`, and whose who
 * has closed it, once it is not: who closes it says so in `closed`, so that
 * neither a unit nor the index is to be seen in it, makes all threads pass a
 * barrier by membarrier(2), and waits until it is not busy. So its own thread,
 * which sets `busy` and then reads one of these, needs no barrier of its own
 * (Dekker's protocol, made asymmetric). */
#ifndef MNM_TCACHE_H
#define MNM_TCACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block/block_index.h"
#include "context/context.h"
#include "stats/thread_stats.h"
#include "pools/pool.h"

enum {
	MAGAZINE_BITS = 12,
	MAGAZINES = 1 << MAGAZINE_BITS,
	MAGAZINE_HASH = 35, /* the first of these bits in the hash */
	MAGAZINE_SHIFT = 5, /* of its size, bytes */
	MAGAZINE_LOST = 1,  /* in a span; no multiple of a unit has it */
};

/* Idle blocks of one span, the oldest free first, as in page_unit_pool. The
 * slow path changes the span, while it is empty. Other threads may look at the
 * head and the span meanwhile: whose the cache is changes them by atomic
 * stores, and reads them as they are. */
struct magazine {
	struct block *head;
	struct block *tail;
	size_t span; /* | MAGAZINE_LOST: empty, as others wanted its blocks */
	uint32_t wanted; /* by other spans, while it was empty */
	uint16_t raids;  /* of others, that took its blocks */
	uint16_t owed;   /* requests for its span, until it has any again */
};
_Static_assert(sizeof(struct magazine) == 1 << MAGAZINE_SHIFT, "as said");

/* Why a cache is closed. */
enum {
	CLOSED_RULE = 1,   /* it is not a plain time, see tcache_must_close */
	CLOSED_LOOKUP = 2, /* which context is current has to be asked */
	CLOSED_OTHER = 4,  /* another thread is at it */
	CLOSED_ROOM = 8,   /* it holds more than it may now */
};

/* Of a pool that keeps nothing; see pass_through.h. Words that change at once
 * are no neighbours, as in struct thread_stats. */
struct pass_through {
	int64_t outstanding;       /* blocks the pool has yet to be told of */
	struct pool *_Atomic open; /* the pool, while the cache is not closed */
	int64_t outstanding_span;  /* bytes of those blocks */
	struct pool *pool;         /* the active one; or NULL */
};

struct tcache {
	_Atomic unsigned int busy;   /* its thread is at it */
	_Atomic unsigned int closed; /* reasons, as above */
	/* As closed says, under the caches' lock: 0 and block_table_none. Where
	 * it is open, its pool's, and the index, maybe as it was before. */
	_Atomic size_t unit;
	struct block_table *_Atomic table;
	struct pool *pool;              /* that its blocks belong to, or NULL */
	_Atomic uint64_t *epoch, *safe; /* of its device */
	/* What the thread counts; its idle bytes are those in magazines. */
	struct thread_stats stats;
	struct pass_through pass_through;
	struct device *device;
	struct context *_Atomic context; /* NULL: a spare record */
	struct tcache *next_own;         /* of its thread's, or spare */
	struct tcache *next;             /* of all that are not spare */
	/* What it had counted when others last looked, and how often since. */
	int64_t work_seen;
	unsigned int idle_looks;
	unsigned int refused; /* times that there was no room for a span */
	/* Magazines that have a span: which, the least first, and these. */
	size_t named;
	size_t hand; /* the place of the last that had to make room */
	size_t spans[MAGAZINES];
	uint16_t names[MAGAZINES];
	struct magazine magazines[MAGAZINES] __attribute__((aligned(64)));
};

/* The calling thread's for the context that is current: for frees, where it is
 * sure that no other context is for requests, and where a shared runtime takes
 * the same one for requests of it. Never NULL: tcache_none is always closed. */
extern __thread struct tcache *tcache_current, *tcache_verified,
	*tcache_runtime;
extern struct tcache tcache_none;

static inline void magazine_set(struct magazine *magazine, struct block *block)
{
	__atomic_store_n(&magazine->head, block, __ATOMIC_RELAXED);
}

/* A span has two places: this one and its neighbour. Multiplicative hashing;
 * the factor and the bits are the best of 400,000 tried over spans of 512 B to
 * 32 MiB in steps, at random, and in powers of two, up to 700 of them: one in
 * 12 in the mean, and in 7 at worst, is at its second place. */
static inline struct magazine *magazine_at(struct tcache *cache, size_t span)
{
	uint64_t hash = span * UINT64_C(0x7d997f55);
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
 * use. NULL: it can't have one. */
struct tcache *tcache_attach(struct context *context);

/* What a thread of several may hold, bytes; before there are caches. */
void tcaches_room_set(size_t bytes);

/* What lies above the caches. Under the context's lock: blocks of one span go
 * back to their pool, and up to `most` come out of it that are of epochs below
 * `safe`. And the bytes that may be idle on a device; SIZE_MAX: any. */
struct tcache_source {
	void (*free_batch)(const struct block_list *list);
	struct block_list (*alloc_batch)(struct pool *pool, size_t span,
					 size_t most, uint64_t safe);
	size_t (*idle_most)(const struct device *device);
};

/* To be called while the process has one thread, if it can be; see
 * barrier_open. */
void tcaches_open(const struct tcache_source *source);

/* The calling thread's cache, if it is in front of this heap; or NULL. */
struct tcache *tcache_of(const struct heap *heap);

/* The shared runtime binds a device to a thread at once, so that the context it
 * will use is the current one. */
void tcaches_bind(void);

/* The calling thread's current context is about to change. */
void tcache_invalidate(void);

/* The one that is, where no one has to ask; or NULL. */
struct context *tcache_verified_context(void);

/* Which one it is will be asked now; it is this one, or NULL. Sure: it changes
 * only where we see it. */
void tcache_lookup_begin(void);
void tcache_lookup_end(const struct context *context, bool sure);

/* Under the context's lock, for the calling thread's cache or NULL: its pool
 * is this one now. */
void tcache_adopt(struct tcache *cache, struct pool *pool);

/* Serves a request from the cache, the calling thread's or NULL, by a block
 * with up to so many bytes to spare. NULL: it has none that is safe. */
struct block *tcache_alloc_slack(struct tcache *cache, size_t size,
				 size_t slack, uint64_t *addr);

/* Under the context's lock: blocks of a span move from the pool into the cache,
 * if they are safe; or the cache takes a block that was just freed, and where
 * it is full of such, others move into the pool. The span has a magazine then,
 * if there is an empty one. False: it is not taken. */
void tcache_refill(struct tcache *cache, size_t span, uint64_t safe);
bool tcache_put(struct tcache *cache, struct block *block);

/* Under the context's lock: blocks of a span move into the heap's pool, from
 * the cache, which is the calling thread's or NULL, and if the span is large
 * from others'; where memory is short (all), from all, of up to slack bytes
 * more as well. Whether there were any. */
bool tcaches_raid(struct heap *heap, struct tcache *cache, size_t span,
		  size_t slack, bool all);

/* Whether the calling thread has no cache of the context, and others have
 * blocks of the span in theirs. */
bool tcaches_have(const struct context *context, size_t span);

/* Under the context's lock: all blocks of all caches move into the heap's
 * pool, and the caches have none. */
void tcaches_flush(struct heap *heap);

/* Something has changed that tcache_must_close asks: when this returns, no call
 * is on the fast path that should not be. NULL: of all devices. */
void tcaches_recompute(const struct device *device);

/* A limit needs every claim to be seen by all threads at once: while there is
 * one, pools that keep nothing are not served directly, and what they have
 * reserved so far is counted with the rest. */
void tcaches_limit(bool limited);

/* What was on the fast path before has left it when this returns. */
void tcaches_pass(void);

/* The same, and each thread asks again which context is current. */
void tcaches_invalidate(void);

#endif
