/* How the index of blocks changes: entries are entered by one atomic step, and
 * removed by a store.
 *
 * A table that is full is replaced by a larger one. Whoever enters meanwhile
 * sees `growing` after the step, or its entry is seen by the copy: both are
 * full barriers. What is looked up in vain in a table that has been replaced
 * is looked up in the new one. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "block.h"
#include "block_index.h"

enum { TABLE_LEAST = 1024 }; /* entries */

#define ENTRY_REMOVED UINT64_C(1)
#define ADDR_ENDS     (UINT64_C(1) << 49) /* a GPU's, Pascal to Hopper */

static struct block_table table_none = {.size = 1, .entries = {ENTRY_EMPTY}};

struct block_table *_Atomic block_table = &table_none;
static _Atomic bool growing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of a growth */

static struct block *block_of(uint64_t entry)
{
	return (struct block *)(entry & ENTRY_POINTER);
}

static size_t table_bytes(size_t size)
{
	return sizeof(struct block_table) + size * sizeof(uint64_t);
}

/* Not freed when it is replaced, as it may still be searched. */
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

/* An entry is still of use if its record is at the address it was made for. */
static bool entry_holds(uint64_t entry, uint64_t *hash)
{
	uint64_t word;

	if (entry == ENTRY_EMPTY || entry == ENTRY_REMOVED)
		return false;
	word = atomic_load(&block_of(entry)->word);
	*hash = block_hash(word & ~BLOCK_BITS);
	return word & BLOCK_STATE && entry_is(entry, block_tag(*hash));
}

/* Before the table is published. */
static void table_put(struct block_table *table, uint64_t hash, uint64_t entry)
{
	size_t place = block_place(table, hash);

	while (table->entries[place] != ENTRY_EMPTY)
		place = block_place_next(table, place);
	table->entries[place] = entry;
	table->entered++;
}

/* Under lock. */
static size_t table_count(struct block_table *table)
{
	size_t count = 0;
	uint64_t hash;

	for (size_t i = 0; i < table->size; i++)
		count += entry_holds(table->entries[i], &hash);
	return count;
}

/* Under lock. Its pages go back; who still searches it finds nothing. */
static void table_retire(struct block_table *table)
{
	size_t bytes = table_bytes(table->size);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (table != &table_none && bytes > page)
		madvise((char *)table + page, bytes - page, MADV_DONTNEED);
}

/* Under lock. Half of the new table is left for blocks to come, and what is
 * entered meanwhile. */
static struct block_table *table_grown(struct block_table *full)
{
	size_t count = table_count(full);
	struct block_table *table =
		table_new(count * 2 > TABLE_LEAST ? count * 2 : TABLE_LEAST);
	uint64_t entry, hash;

	for (size_t i = 0; table && i < full->size; i++) {
		entry = full->entries[i];
		if (entry_holds(entry, &hash) && !table_is_full(table))
			table_put(table, hash, entry);
	}
	return table;
}

/* Replaces a table that is full; false: no memory. */
static bool grow(struct block_table *full)
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

/* A search needs an ENTRY_EMPTY to end at. */
static bool empty_reserve(struct block_table *table)
{
	if (atomic_fetch_add(&table->entered, 1) < table->size - 1)
		return true;
	atomic_fetch_sub(&table->entered, 1);
	return false;
}

/* One step into the first place that is free. False: there is none. */
static bool table_enter(struct block_table *table, uint64_t hash,
			uint64_t entry)
{
	size_t place = block_place(table, hash);
	uint64_t found;

	for (;; place = block_place_next(table, place)) {
		found = atomic_load(&table->entries[place]);
		if (found != ENTRY_EMPTY && found != ENTRY_REMOVED)
			continue;
		if (found == ENTRY_EMPTY && !empty_reserve(table))
			return false;
		if (atomic_compare_exchange_strong(&table->entries[place],
						   &found, entry))
			return true;
	}
}

static bool index_enter(struct block *block, uint64_t addr)
{
	uint64_t hash = block_hash(addr);
	uint64_t entry = (uint64_t)block | block_tag(hash);
	struct block_table *table;

	do {
		table = atomic_load(&block_table);
		if (table_is_full(table) && !grow(table))
			return false;
		table = atomic_load(&block_table);
		if (!table_enter(table, hash, entry))
			return false;
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
	uint64_t hash = block_hash(addr), entry;
	size_t place = block_place(table, hash);
	struct block *block;

	for (;; place = block_place_next(table, place)) {
		entry = atomic_load_explicit(&table->entries[place],
					     memory_order_acquire);
		if (entry == ENTRY_EMPTY)
			return NULL;
		if (!entry_is(entry, block_tag(hash)))
			continue;
		block = block_of(entry);
		*word = atomic_load_explicit(&block->word,
					     memory_order_acquire);
		if ((*word & ~BLOCK_BITS) == addr && *word & BLOCK_STATE)
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
		*word = 0;
	return block;
}

struct block *block_take(uint64_t addr, uint64_t *word)
{
	struct block *block = block_find(addr, word);

	while (block && *word & BLOCK_LIVE) {
		if (atomic_compare_exchange_weak(&block->word, word,
						 *word ^ BLOCK_STATE))
			return block;
		if ((*word & ~BLOCK_BITS) != addr)
			*word = 0;
	}
	return NULL;
}

/* A table that is being replaced may keep it; stale, it is dropped later. */
static void index_remove(const struct block *block, uint64_t addr)
{
	struct block_table *table = atomic_load(&block_table);
	uint64_t hash = block_hash(addr),
		 entry = (uint64_t)block | block_tag(hash);
	size_t place = block_place(table, hash);
	uint64_t found;

	while ((found = atomic_load(&table->entries[place])) != ENTRY_EMPTY &&
	       found != entry)
		place = block_place_next(table, place);
	if (found == entry)
		atomic_store(&table->entries[place], ENTRY_REMOVED);
}

/* Ends a record that the driver has given the address of out anew. */
static struct block *block_oust(uint64_t addr, uint64_t *word)
{
	struct block *stale = block_find(addr, word);

	while (stale && (*word & ~BLOCK_BITS) == addr && *word & BLOCK_STATE)
		if (atomic_compare_exchange_weak(&stale->word, word, addr)) {
			index_remove(stale, addr);
			return stale;
		}
	*word = 0;
	return NULL;
}

bool block_enter(struct block *block, uint64_t addr, struct block **stale,
		 uint64_t *word)
{
	*stale = NULL;
	*word = 0;
	if (!addr || addr & BLOCK_BITS || addr >= ADDR_ENDS)
		return false;
	*stale = block_oust(addr, word);
	/* A free that CUDA refused has not ended what others may do. */
	atomic_store(&block->word,
		     addr | BLOCK_LIVE | (block_word(block) & BLOCK_EXPORTED));
	if (index_enter(block, addr))
		return true;
	atomic_store(&block->word, 0);
	return false;
}

bool block_remove(struct block *block)
{
	uint64_t word = atomic_load(&block->word);
	uint64_t addr = word & ~BLOCK_BITS;

	if (!(word & BLOCK_IDLE) ||
	    !atomic_compare_exchange_strong(&block->word, &word,
					    addr | (word & BLOCK_EXPORTED)))
		return false;
	index_remove(block, addr);
	return true;
}

void block_walk(void (*visit)(struct block *block, uint64_t word, void *arg),
		void *arg)
{
	struct block_table *table;
	uint64_t entry, hash;

	pthread_mutex_lock(&lock); /* the table stays */
	table = atomic_load(&block_table);
	for (size_t i = 0; table && i < table->size; i++) {
		entry = atomic_load(&table->entries[i]);
		if (entry_holds(entry, &hash))
			visit(block_of(entry),
			      atomic_load(&block_of(entry)->word), arg);
	}
	pthread_mutex_unlock(&lock);
}
