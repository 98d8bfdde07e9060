/* The index of blocks as a look-up sees it: a flat table of entries. Each entry
 * is the address of a record and a tag of the address that it was made for. A
 * look-up probes entries in order until it finds an empty one. An entry may be
 * stale: the record's own word decides. block_index.c writes the table. */
#ifndef MNM_BLOCK_INDEX_H
#define MNM_BLOCK_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;

/* Entries that follow the last place, so that a search need not wrap around.
 * The very last one stays empty. */
#ifndef TABLE_TAIL /* fewer for generated programs: see tests/proof.mk */
#define TABLE_TAIL 256
#endif

struct block_table {
	size_t size;            /* places */
	_Atomic size_t entered; /* entries that are not empty */
	_Atomic uint64_t entries[];
};

#define ENTRY_EMPTY   UINT64_C(0)
#define ENTRY_REMOVED UINT64_C(2)
#define TAG_BITS      16 /* the low ones of an entry */

/* Only block_index.c writes them. block_table_none never has blocks. */
extern struct block_table *_Atomic block_table;
extern struct block_table block_table_none;

/* Where the search for an address begins, and the tag of its entry. */
struct block_home {
	_Atomic uint64_t *entry;
	uint16_t tag;
};

/* Multiplicative hashing (Knuth, volume 3, 6.4). The factor is the best of
 * 3,000 tried over blocks at strides of 256 bytes to 64 MiB, up to 360,000 of
 * them, in a table that is 70 % full: 1.2 probes on average, 2.1 at worst. The
 * tag has bits of the hash that the place does not tell. It is odd, and an
 * empty or removed entry is not. */
static inline struct block_home block_home(struct block_table *table,
					   uint64_t addr)
{
	uint64_t hash = addr * UINT64_C(0xcfa96d851573d233);
	unsigned __int128 place = (unsigned __int128)hash * table->size;

	return (struct block_home){
		.entry = &table->entries[(size_t)(place >> 64)],
		.tag = (uint16_t)(place >> 48 | 1),
	};
}

static inline uint64_t entry_of(const struct block *block, uint16_t tag)
{
	return (uint64_t)(uintptr_t)block << TAG_BITS | tag;
}

static inline bool entry_is(uint64_t entry, uint16_t tag)
{
	return (uint16_t)entry == tag;
}

static inline struct block *entry_block(uint64_t entry)
{
	return (struct block *)(uintptr_t)(entry >> TAG_BITS);
}

#endif
