/* How the index of blocks changes: entries are entered by one atomic step, and
 * removed by a store.
 *
 * A full table is replaced by a larger one. A thread that enters meanwhile sees
 * `growing` after its step, or its entry is seen by the copy: both are full
 * barriers. If a look-up finds nothing in a table that has been replaced, it
 * looks into the new one. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "block.h"
#include "block_index.h"

/* The least number of entries. With so many, few blocks lie beside one another
 * in the programs there are; a search past one costs a fifth of a request with
 * its free. */
#ifndef TABLE_LEAST /* as TABLE_TAIL */
#define TABLE_LEAST 4096
#endif
_Static_assert(TABLE_LEAST > 5 * TABLE_TAIL, "a full table becomes larger");

enum { GROW_TRIES = 4 };

#define ADDR_ENDS (UINT64_C(1) << 49) /* a GPU's, Pascal to Hopper */

struct block_table block_table_none = {
	.entries = {[TABLE_TAIL - 1] = ENTRY_EMPTY},
};

struct block_table *_Atomic block_table = &block_table_none;
static _Atomic bool growing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for a growth */

static size_t table_bytes(size_t size)
{
	return sizeof(struct block_table) +
	       (size + TABLE_TAIL) * sizeof(uint64_t);
}

/* A table is not freed when it is replaced, as it may still be searched. */
static struct block_table *table_new(size_t size)
{
	struct block_table *table =
		mmap(NULL, table_bytes(size), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (table == MAP_FAILED)
		return NULL;
	table->size = size;
	return table;
}

static bool table_is_full(struct block_table *table)
{
	return atomic_load_explicit(&table->entered, memory_order_relaxed) >=
	       table->size / 4 * 3;
}

/* The block of an entry of the table, and its word. Returns NULL if the entry
 * is of no use any more, because its record is not at the address that the
 * entry was made for. */
static struct block *entry_holds(struct block_table *table, uint64_t entry,
				 uint64_t *word)
{
	struct block *block = entry_block(entry);
	struct block_home home;

	if (entry == ENTRY_EMPTY || entry == ENTRY_REMOVED)
		return NULL;
	*word = atomic_load(&block->word);
	home = block_home(table, *word & ~BLOCK_BITS);
	return *word & BLOCK_GONE || !entry_is(entry, home.tag) ? NULL : block;
}

/* The last entry of a table, where a search ends at the latest. */
static const _Atomic uint64_t *table_end(struct block_table *table)
{
	return &table->entries[table->size + TABLE_TAIL - 1];
}

/* Puts an entry into a table that is not published yet. Returns false if there
 * is no place. */
static bool table_put(struct block_table *table, const struct block *block,
		      uint64_t addr)
{
	struct block_home home = block_home(table, addr);

	while (*home.entry != ENTRY_EMPTY)
		home.entry++;
	if (home.entry == table_end(table))
		return false;
	*home.entry = entry_of(block, home.tag);
	table->entered++;
	return true;
}

/* Under lock. */
static size_t table_count(struct block_table *table)
{
	size_t count = 0;
	uint64_t word;

	for (_Atomic uint64_t *at = table->entries; at < table_end(table); at++)
		count += entry_holds(table, *at, &word) != NULL;
	return count;
}

/* Under lock. The table's pages go back, the first one as well: a thread that
 * still searches it finds a table of no places, and an empty entry. */
static void table_retire(struct block_table *table)
{
	if (table != &block_table_none)
		madvise(table, table_bytes(table->size), MADV_DONTNEED);
}

/* Under lock. Returns NULL if there is no memory, or no place for one of the
 * blocks. */
static struct block_table *table_copy(struct block_table *full, size_t size)
{
	struct block_table *table = table_new(size);
	struct block *block;
	uint64_t word;

	for (_Atomic uint64_t *at = full->entries;
	     table && at < table_end(full) && !table_is_full(table); at++) {
		block = entry_holds(full, *at, &word);
		if (!block || table_put(table, block, word & ~BLOCK_BITS))
			continue;
		munmap(table, table_bytes(size));
		table = NULL;
	}
	return table;
}

/* Under lock. Half of the new table's entries are left for blocks to come, and
 * for those that are entered meanwhile. If a table had no place for a block
 * though it is not full, the new one is larger in any case; and larger still if
 * that has no place for one either, which depends on their addresses. */
static struct block_table *table_grown(struct block_table *full)
{
	size_t size = table_count(full) * 2;
	struct block_table *table = NULL;

	if (size < TABLE_LEAST)
		size = TABLE_LEAST;
	size -= TABLE_TAIL;
	if (size <= full->size && !table_is_full(full))
		size = full->size * 2;
	for (int i = 0; i < GROW_TRIES && !table; i++, size *= 2)
		table = table_copy(full, size);
	return table;
}

/* Replaces a table that has no place for a block. Returns false if there is no
 * memory. */
static bool block_index_grow(struct block_table *full)
{
	struct block_table *table = NULL;
	bool done;

	pthread_mutex_lock(&lock);
	done = atomic_load(&block_table) != full;
	if (!done) {
		atomic_store(&growing, true);
		table = table_grown(full);
		if (table)
			atomic_store(&block_table, table);
		atomic_store(&growing, false);
		if (table)
			table_retire(full);
	}
	pthread_mutex_unlock(&lock);
	return done || table;
}

/* Enters a block in one step, into the first place that is free. Returns false
 * if there is none. */
static bool table_enter(struct block_table *table, const struct block *block,
			uint64_t addr)
{
	struct block_home home = block_home(table, addr);
	uint64_t found, entry = entry_of(block, home.tag);

	if (table_is_full(table))
		return false;
	for (; home.entry < table_end(table); home.entry++) {
		found = atomic_load(home.entry);
		if ((found != ENTRY_EMPTY && found != ENTRY_REMOVED) ||
		    !atomic_compare_exchange_strong(home.entry, &found, entry))
			continue;
		if (found == ENTRY_EMPTY)
			atomic_fetch_add(&table->entered, 1);
		return true;
	}
	return false;
}

static bool index_enter(const struct block *block, uint64_t addr)
{
	struct block_table *table;

	do {
		table = atomic_load(&block_table);
		while (!table_enter(table, block, addr)) {
			if (!block_index_grow(table))
				return false;
			table = atomic_load(&block_table);
		}
		if (atomic_load(&growing)) { /* until it is over */
			pthread_mutex_lock(&lock);
			pthread_mutex_unlock(&lock);
		}
	} while (atomic_load(&block_table) != table);
	return true;
}

static struct block *table_find(struct block_table *table, uint64_t addr,
				uint64_t *word)
{
	struct block_home home = block_home(table, addr);
	struct block *block;
	uint64_t entry;

	for (;; home.entry++) {
		entry = atomic_load_explicit(home.entry, memory_order_acquire);
		if (entry == ENTRY_EMPTY)
			return NULL;
		if (!entry_is(entry, home.tag))
			continue;
		block = entry_block(entry);
		*word = atomic_load_explicit(&block->word,
					     memory_order_acquire);
		if ((*word & ~BLOCK_BITS) == addr && !(*word & BLOCK_GONE))
			return block;
	}
}

struct block *block_find(uint64_t addr, uint64_t *word)
{
	struct block_table *table = atomic_load(&block_table), *last = NULL;
	struct block *block = NULL;

	for (; !block && table != last; table = atomic_load(&block_table)) {
		block = table_find(table, addr, word);
		last = table;
	}
	if (!block)
		*word = BLOCK_GONE;
	return block;
}

struct block *block_take(uint64_t addr, uint64_t *word)
{
	struct block *block = block_find(addr, word);

	while (block && word_is_live(*word)) {
		if (atomic_compare_exchange_weak(&block->word, word,
						 *word | BLOCK_IDLE))
			return block;
		if ((*word & ~BLOCK_BITS) != addr)
			*word = BLOCK_GONE;
	}
	return NULL;
}

/* The copy of a table that is being replaced may keep the entry, which is stale
 * then and is dropped later. */
static void index_remove(const struct block *block, uint64_t addr)
{
	struct block_home home = block_home(atomic_load(&block_table), addr);
	uint64_t found, entry = entry_of(block, home.tag);

	while ((found = atomic_load(home.entry)) != ENTRY_EMPTY &&
	       found != entry)
		home.entry++;
	if (found == entry)
		atomic_store_explicit(home.entry, ENTRY_REMOVED,
				      memory_order_release);
}

/* Ends the record at addr, as the driver has given that address out again. */
static struct block *block_oust(uint64_t addr, uint64_t *word)
{
	struct block *stale = block_find(addr, word);

	while (stale && (*word & ~BLOCK_BITS) == addr && !(*word & BLOCK_GONE))
		if (atomic_compare_exchange_weak(&stale->word, word,
						 addr | BLOCK_GONE)) {
			index_remove(stale, addr);
			return stale;
		}
	return NULL;
}

static bool addr_fits(uint64_t addr)
{
	return addr && !(addr & BLOCK_BITS) && addr < ADDR_ENDS;
}

bool block_enter(struct block *block, uint64_t addr, struct block **stale,
		 uint64_t *word)
{
	*stale = NULL;
	if (!addr_fits(addr))
		return false;
	*stale = block_oust(addr, word);
	/* A block whose free CUDA has refused is still exported if it was. */
	atomic_store(&block->word, addr | (block_word(block) & BLOCK_EXPORTED));
	if (index_enter(block, addr))
		return true;
	atomic_store(&block->word, BLOCK_GONE);
	return false;
}

static bool block_is_at(const struct block *block, uint64_t addr)
{
	uint64_t word = atomic_load(&block->word);

	return (word & ~BLOCK_BITS) == addr && !(word & BLOCK_GONE);
}

/* Finds the first place that is free, after a look at all entries up to an
 * empty one; *found is what it holds. Returns NULL if a block is known at addr,
 * or the table is full. */
static _Atomic uint64_t *place_alone(struct block_table *table, uint64_t addr,
				     uint64_t *found)
{
	struct block_home home = block_home(table, addr);
	_Atomic uint64_t *place = NULL;

	for (; (*found = atomic_load(home.entry)) != ENTRY_EMPTY; home.entry++)
		if (entry_is(*found, home.tag) &&
		    block_is_at(entry_block(*found), addr))
			return NULL;
		else if (*found == ENTRY_REMOVED && !place)
			place = home.entry;
	if (place)
		*found = ENTRY_REMOVED;
	else if (!table_is_full(table) && home.entry < table_end(table))
		place = home.entry;
	return place;
}

bool block_enter_alone(struct block *block, uint64_t addr)
{
	struct block_table *table = atomic_load(&block_table);
	uint16_t tag = block_home(table, addr).tag;
	uint64_t found;
	_Atomic uint64_t *place =
		addr_fits(addr) ? place_alone(table, addr, &found) : NULL;

	if (!place)
		return false;
	atomic_store_explicit(&block->word, addr, memory_order_release);
	if (atomic_compare_exchange_strong(place, &found,
					   entry_of(block, tag))) {
		if (found == ENTRY_EMPTY)
			atomic_fetch_add(&table->entered, 1);
		/* After the step, a full barrier: see block_index_grow. */
		if (!atomic_load(&growing) &&
		    atomic_load(&block_table) == table)
			return true;
	}
	atomic_store(&block->word, BLOCK_GONE);
	return false;
}

bool block_remove(struct block *block)
{
	uint64_t word = atomic_load(&block->word);
	uint64_t addr = word & ~BLOCK_BITS;

	if (!(word & BLOCK_IDLE) ||
	    !atomic_compare_exchange_strong(&block->word, &word,
					    addr | BLOCK_GONE |
						    (word & BLOCK_EXPORTED)))
		return false;
	index_remove(block, addr);
	return true;
}

bool block_restore(struct block *block)
{
	uint64_t addr = block_addr(block), marks, word;

	if (block_find(addr, &word))
		return false;
	marks = block_word(block) & BLOCK_EXPORTED;
	atomic_store(&block->word, addr | BLOCK_IDLE | marks);
	if (index_enter(block, addr))
		return true;
	atomic_store(&block->word, addr | BLOCK_GONE | marks);
	return false;
}

void block_walk(void (*visit)(struct block *block, uint64_t word, void *arg),
		void *arg)
{
	struct block_table *table;
	struct block *block;
	uint64_t word;

	pthread_mutex_lock(&lock); /* the table stays */
	table = atomic_load(&block_table);
	for (_Atomic uint64_t *at = table->entries; at < table_end(table);
	     at++) {
		block = entry_holds(table, atomic_load(at), &word);
		if (block)
			visit(block, word, arg);
	}
	pthread_mutex_unlock(&lock);
}
