/* The index of blocks as a look-up sees it: a flat table of entries, each the
 * address of a record and 15 bits of its address' hash, probed in order until
 * an empty one. An entry may be stale: the record's own word decides. Written
 * by block_index.c. */
#ifndef MNM_BLOCK_INDEX_H
#define MNM_BLOCK_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;

struct block_table {
	size_t size;            /* entries */
	_Atomic size_t entered; /* of them, that are not empty */
	_Atomic uint64_t entries[];
};

#define ENTRY_EMPTY   UINT64_C(0)
#define ENTRY_POINTER ((UINT64_C(1) << 48) - 1)

/* Only block_index.c writes it. */
extern struct block_table *_Atomic block_table;

/* Fibonacci hashing: 2^64 over the golden ratio (Knuth, volume 3, 6.4). */
static inline uint64_t block_hash(uint64_t addr)
{
	return (addr >> 8) * UINT64_C(0x9e3779b97f4a7c15);
}

static inline size_t block_place(const struct block_table *table, uint64_t hash)
{
	return (size_t)((unsigned __int128)hash * table->size >> 64);
}

static inline size_t block_place_next(const struct block_table *table,
				      size_t place)
{
	return ++place == table->size ? 0 : place;
}

/* Bits that the place does not tell, and never 0: an empty entry has none. */
static inline uint64_t block_tag(uint64_t hash)
{
	return (hash >> 32 | 1) << 48;
}

/* Whether an entry has that tag; then entry ^ tag is the record's address. */
static inline bool entry_is(uint64_t entry, uint64_t tag)
{
	return !((entry ^ tag) >> 48);
}

#endif
