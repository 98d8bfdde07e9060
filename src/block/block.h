/* A block: memory that a pool took from the driver, and the index that finds it
 * by its address.
 *
 * The index is only a hint that leads from an address to a record. What counts
 * is the record's own word, which holds its address and its state in one, so
 * that a block changes hands in one atomic step on that word. The index changes
 * when memory comes from the driver or goes back; looking up an address takes
 * no lock.
 *
 * The tables cost 48 bytes for the record of a block, and 10.7 to 16 bytes of
 * the index, which takes at least 32 KiB. */
#ifndef MNM_BLOCK_H
#define MNM_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mnm/pool.h>

#include "key.h"

struct pool;

/* State and marks, in the low bits of an address, which is a multiple of 256,
 * the least alignment that CUDA promises. So the word of a live block without
 * marks is its address. */
#define BLOCK_IDLE     UINT64_C(1)               /* it has been freed */
#define BLOCK_GONE     UINT64_C(2)               /* it is no block */
#define BLOCK_STATE    (BLOCK_IDLE | BLOCK_GONE) /* neither: it is live */
#define BLOCK_EXPORTED UINT64_C(4)  /* others may use it for ever */
#define BLOCK_NAMED    UINT64_C(8)  /* it has a buffer id; see buffer_id.h */
#define BLOCK_ROOMY    UINT64_C(16) /* it serves a request of another span */
#define BLOCK_ORDERED  UINT64_C(32) /* it was asked for in a stream's order */
#define BLOCK_PLANNED  UINT64_C(64) /* it lies where a plan says (course.h) */
#define BLOCK_REGION \
	UINT64_C(128) /* no block: free bytes of a region, to go \
		       * back; in no index */
#define BLOCK_BITS UINT64_C(255)

struct block {
	union {
		struct mnm_block idle; /* what a pool that keeps it sees */
		struct {
			uint64_t use; /* see block_size, block_stream */
			size_t span;  /* bytes taken from the driver, >= size */
			/* Of its last free; reusable once that is safe. */
			uint64_t epoch;
			struct block *next; /* in a list of idle blocks */
		};
	};
	_Atomic uint64_t word; /* address | state and marks of this life */
	uintptr_t owner;       /* see block_pool, block_mempool */
};

_Static_assert(offsetof(struct block, idle) == 0 &&
		       offsetof(struct block, use) ==
			       offsetof(struct mnm_block, stream) &&
		       offsetof(struct block, span) ==
			       offsetof(struct mnm_block, span) &&
		       offsetof(struct block, epoch) ==
			       offsetof(struct mnm_block, epoch) &&
		       offsetof(struct block, next) ==
			       offsetof(struct mnm_block, next),
	       "a pool sees the fields of a block where they are");

/* The block of which a pool sees that part; NULL for NULL. */
static inline struct block *block_of_idle(struct mnm_block *idle)
{
	return (struct block *)idle;
}

static inline uint64_t block_word(const struct block *block)
{
	return atomic_load_explicit(&block->word, memory_order_relaxed);
}

static inline uint64_t block_addr(const struct block *block)
{
	return block_word(block) & ~BLOCK_BITS;
}

/* While a block is live, its use is the bytes that were asked for. While it is
 * idle in a pool, its use is the number of the stream in whose order it was
 * freed (order/streams.h), or 0. */
static inline size_t block_size(const struct block *block)
{
	return block->use;
}

static inline unsigned int block_stream(const struct block *block)
{
	return (unsigned int)block->use;
}

/* The owner of a block is the pool that served it, which can't end while it is
 * live, and in the low bits of its address the number of the pool of CUDA's
 * that had it last (stats/mempool_stats.h), or 0. So one look tells both. In a
 * walk, the record of a block that the caller does not own may be dropped and
 * reused meanwhile. */
enum { POOL_ALIGN = 32, MEMPOOL_BITS = POOL_ALIGN - 1 };

static inline uintptr_t owner_of(const struct pool *pool, unsigned int mempool)
{
	return (uintptr_t)pool | mempool;
}

static inline struct pool *block_pool(const struct block *block)
{
	return (struct pool *)(__atomic_load_n(&block->owner,
					       __ATOMIC_RELAXED) &
			       ~(uintptr_t)MEMPOOL_BITS);
}

static inline unsigned int block_mempool(const struct block *block)
{
	return (unsigned int)block->owner & MEMPOOL_BITS;
}

static inline void block_owner_set(struct block *block, const struct pool *pool,
				   unsigned int mempool)
{
	__atomic_store_n(&block->owner, owner_of(pool, mempool),
			 __ATOMIC_RELAXED);
}

static inline bool block_is_region(const struct block *block)
{
	return block_word(block) & BLOCK_REGION;
}

static inline bool word_is_live(uint64_t word)
{
	return !(word & BLOCK_STATE);
}

/* Blocks of one key (key.h), linked by next, the oldest free first. */
struct block_list {
	struct block *head, *tail; /* head: NULL if empty */
	size_t count;
};

/* A blank record, or NULL if there is no memory for it. Thread-safe. */
struct block *block_new(void);

/* Ends the record of a block. Its memory stays readable, so that a racing free
 * in an incorrect program reads an old value and does not fault. */
void block_drop(struct block *block);

/* Enters a fresh block as live. Returns false if there is no memory for the
 * index, or the address can't be a block's. If another block is known at addr,
 * the driver has given the address out again, so that block is gone: *stale is
 * its record, and *word its last word. Otherwise *stale is NULL. */
bool block_enter(struct block *block, uint64_t addr, struct block **stale,
		 uint64_t *word);

/* As block_enter, but in one step after one look. Also returns false if a block
 * is known at addr, or the index is full or being replaced. If it returns
 * false, nothing was entered. */
bool block_enter_alone(struct block *block, uint64_t addr);

/* The block at exactly addr and its word. If there is none, returns NULL and
 * sets *word to BLOCK_GONE. */
struct block *block_find(uint64_t addr, uint64_t *word);

/* Turns the live block at addr idle, in one step, and returns it; *word is what
 * it was before. Returns NULL if no live block starts there; *word says whether
 * an idle one does. */
struct block *block_take(uint64_t addr, uint64_t *word);

/* As block_take, for a record that the caller has found. Also returns false if
 * the record has become that of a block at another address. */
bool block_claim(struct block *block, uint64_t addr);

/* Marks the live block at addr for this life; returns false if it is not
 * live. */
bool block_mark(struct block *block, uint64_t addr, uint64_t mark);

/* The caller owns the idle block. block_unmark removes its marks, except that
 * it is exported, which ends with the record; block_revive makes it live. */
void block_unmark(struct block *block);
void block_revive(struct block *block);

/* Removes an idle block, which the caller owns, from the index; the record
 * keeps its address. Returns false if the driver has given the address out
 * again, so that the memory is another block's. */
bool block_remove(struct block *block);

/* Undoes block_remove: the block is known again, as idle. Returns false if
 * there is no memory for the index, or another block is known there. */
bool block_restore(struct block *block);

/* Calls visit for each block, live or idle; visit may remove it. */
void block_walk(void (*visit)(struct block *block, uint64_t word, void *arg),
		void *arg);

#endif
