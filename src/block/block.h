/* A block: memory that a pool took from the driver, and the index that finds
 * it by its address.
 *
 * The index is only a hint from an address to a record; what holds is the
 * record's own word, its address and its state in one, so that a change of
 * hands is one atomic step on it. The index changes when memory comes from the
 * driver or goes back; looking one up takes no lock.
 *
 * Of tables a block costs its record, 48 bytes, and 10.7 to 16 of the index,
 * which has 32 KiB at least. */
#ifndef MNM_BLOCK_H
#define MNM_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool;

/* In the low bits of an address, which is a multiple of 256, the least
 * alignment that CUDA promises. So the word of a plain live block is its
 * address. */
#define BLOCK_IDLE     UINT64_C(1)               /* it has been freed */
#define BLOCK_GONE     UINT64_C(2)               /* it is no block */
#define BLOCK_STATE    (BLOCK_IDLE | BLOCK_GONE) /* neither: it is live */
#define BLOCK_EXPORTED UINT64_C(4)  /* others may use it for ever */
#define BLOCK_NAMED    UINT64_C(8)  /* it has a buffer id; see buffer_id.h */
#define BLOCK_ROOMY    UINT64_C(16) /* it serves a request of another span */
#define BLOCK_BITS     UINT64_C(255)

/* Of a block that was never freed: devices count from the next one on. */
#define EPOCH_NEVER 0

struct block {
	_Atomic uint64_t word; /* address | state and marks of this life */
	size_t size;           /* bytes asked for, while live */
	size_t span;           /* bytes taken from the driver, >= size */
	uint64_t epoch; /* of its last free; usable once that epoch is safe */
	struct pool *pool;  /* that served it; while live, it can't end.
			     * A walk may look at it: see block_pool */
	struct block *next; /* in a list of idle blocks */
};

static inline uint64_t block_word(const struct block *block)
{
	return atomic_load_explicit(&block->word, memory_order_relaxed);
}

static inline uint64_t block_addr(const struct block *block)
{
	return block_word(block) & ~BLOCK_BITS;
}

/* The pool of a block that is not the caller's, whose record may be dropped and
 * given out anew meanwhile; and what changes it. */
static inline struct pool *block_pool(const struct block *block)
{
	return __atomic_load_n(&block->pool, __ATOMIC_RELAXED);
}

static inline void block_pool_set(struct block *block, struct pool *pool)
{
	__atomic_store_n(&block->pool, pool, __ATOMIC_RELAXED);
}

static inline bool word_is_live(uint64_t word)
{
	return !(word & BLOCK_STATE);
}

/* A blank record, or NULL without memory for it. Thread-safe. */
struct block *block_new(void);

/* Ends the record of a block. Its memory stays readable, so that a racing
 * free of a wrong program reads an old value and not a fault. */
void block_drop(struct block *block);

/* Enters a fresh block as live. False: no memory for the index, or an address
 * that is not a block's. *stale and *word are what was there before: the
 * driver gave the address out again, so that block is gone; else NULL. */
bool block_enter(struct block *block, uint64_t addr, struct block **stale,
		 uint64_t *word);

/* As block_enter, in one step and on one look; false also if a block is known
 * at addr, or the index is full or being replaced: nothing was entered then. */
bool block_enter_alone(struct block *block, uint64_t addr);

/* The block at exactly addr and its word; NULL, and BLOCK_GONE: none is. */
struct block *block_find(uint64_t addr, uint64_t *word);

/* Turns the live block at addr idle, in one step, and returns it; *word is
 * what it was before. NULL: no live block starts there; *word says whether an
 * idle one does. */
struct block *block_take(uint64_t addr, uint64_t *word);

/* As block_take, for that very record; false also if it has become another
 * block's, which is at another address. */
bool block_claim(struct block *block, uint64_t addr);

/* Marks the live block at addr for this life; false: it is not live. */
bool block_mark(struct block *block, uint64_t addr, uint64_t mark);

/* An idle block, which the caller owns, has no marks any more, but that it is
 * exported, which ends with the record; or it is live. */
void block_unmark(struct block *block);
void block_revive(struct block *block);

/* Removes an idle block, which the caller owns, from the index; its address
 * stays known. False: the driver has given it out anew, so the memory is
 * another block's. */
bool block_remove(struct block *block);

/* Undoes that: it is known again, as idle. False: no memory for the index, or
 * another block is known there. */
bool block_restore(struct block *block);

/* Calls visit for each block, live or idle; visit may remove it. */
void block_walk(void (*visit)(struct block *block, uint64_t word, void *arg),
		void *arg);

#endif
