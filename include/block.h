/* A block: device memory that a pool took from the driver, and the table
 * that finds it by its address.
 *
 * The table is three levels of address bits, lock-free, and knows for each
 * block whether the program holds it (live) or not (idle). A slot is written
 * once per change of hands; nothing is hashed. */
#ifndef MNM_BLOCK_H
#define MNM_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct pool;

struct block {
	uint64_t addr;     /* device address, at least 256-byte aligned */
	size_t size;       /* bytes asked for, while live */
	size_t span;       /* bytes taken from the driver, >= size */
	uint64_t epoch;    /* of its free; usable once that epoch is safe */
	struct pool *pool; /* that served it; while live, it can't end */
	/* Whose memory it is. Atomic as block_walk's visitor may look at a
	 * record that is being dropped. */
	struct context *_Atomic context;
	_Atomic bool exported; /* others may use it for ever: never reused */
	bool pinned;           /* host memory */
	_Atomic uint32_t id;   /* buffer id of this life, 0 before it's asked */
	struct block *next;    /* in a list of idle blocks */
};

/* A blank block, or NULL without memory for it. Thread-safe. */
struct block *block_new(void);

/* Ends the record of a block. Its memory stays readable, so that a racing
 * free of a wrong program reads an old value and not a fault. */
void block_drop(struct block *block);

enum block_state { BLOCK_UNKNOWN, BLOCK_LIVE, BLOCK_IDLE };

/* Enters a fresh block as live. False: no memory for the table, or an
 * address it can't hold. *stale and *state are what was there before: the
 * driver gave the address out again, so that block is gone. */
bool block_enter(struct block *block, struct block **stale,
		 enum block_state *state);

/* The block at exactly addr and its state; NULL if unknown. */
struct block *block_find(uint64_t addr, enum block_state *state);

/* Turns the live block at addr idle, in one step, and returns it. NULL: no
 * live block starts there; *state says whether an idle one does. */
struct block *block_take(uint64_t addr, enum block_state *state);

/* As block_take, for that very record. */
bool block_claim(struct block *block);

/* Turns an idle block, which the caller owns, live. */
void block_revive(struct block *block);

/* Removes an idle block, which the caller owns, from the table. False: the
 * driver has given its address out anew, so the memory is another block's. */
bool block_remove(struct block *block);

/* Calls visit for each block, live or idle; visit may remove it. */
void block_walk(void (*visit)(struct block *block, enum block_state state,
			      void *arg),
		void *arg);

#endif
