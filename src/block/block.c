/* Records of blocks, cut from slabs that are never given back: a free of a
 * stale address may still look at one. */
#include <pthread.h>
#include <sys/mman.h>

#include "block.h"
#include "block_freelist.h"
#include "preload/serving.h"
#include "preload/thread.h"

enum {
	SLAB_SIZE = 24 << 10, /* bytes: 512 records */
	OWN_FILL = 64,        /* records */
};

_Static_assert(sizeof(struct block) == 48, "as block.h says");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *spare; /* under lock, linked by next */

/* Fresh records are neighbours in memory. */
__thread struct block *block_freelist;
__thread int block_freelist_count;

static __thread bool ended; /* the thread exits */

static struct once watch_once = ONCE_INIT;
static struct thread_key watch; /* set in threads that have had records */

/* Under lock. */
static void spare_push(struct block *block)
{
	block->next = spare;
	spare = block;
}

/* Under lock. */
static void slab_cut(void)
{
	struct block *slab = mmap(NULL, SLAB_SIZE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (slab == MAP_FAILED)
		return;
	for (size_t i = SLAB_SIZE / sizeof(*slab); i--;)
		spare_push(&slab[i]);
}

/* Under lock. */
static struct block *spare_pop(void)
{
	struct block *block;

	if (!spare)
		slab_cut();
	block = spare;
	if (block)
		spare = block->next;
	return block;
}

static void own_ended(void *unused)
{
	(void)unused;
	ended = true;
	if (!serving_is_on()) /* a forked child, where locks may stay held */
		return;
	pthread_mutex_lock(&lock);
	while (block_freelist)
		spare_push(block_freelist_pop());
	pthread_mutex_unlock(&lock);
}

static void watch_open(void)
{
	thread_key_open(&watch, own_ended);
}

/* Whether the thread may have records of its own. It gives them back when it
 * ends. */
static bool own_allowed(void)
{
	once_run(&watch_once, watch_open);
	if (ended || !watch.open)
		return false;
	thread_key_set(&watch, &block_freelist);
	return true;
}

/* Takes some more records. The first one taken is popped first. */
static void own_fill(void)
{
	struct block *taken[OWN_FILL];
	int count = 0;

	pthread_mutex_lock(&lock);
	while (count < OWN_FILL && (taken[count] = spare_pop()))
		count++;
	pthread_mutex_unlock(&lock);
	while (count)
		block_freelist_push(taken[--count]);
}

struct block *block_new(void)
{
	struct block *block;

	if (!block_freelist && own_allowed())
		own_fill();
	if (block_freelist) {
		block = block_freelist_pop();
	} else {
		pthread_mutex_lock(&lock);
		block = spare_pop();
		pthread_mutex_unlock(&lock);
	}
	if (!block)
		return NULL;
	atomic_store_explicit(&block->word, BLOCK_GONE, memory_order_relaxed);
	block->use = block->span = block->epoch = 0;
	block_owner_set(block, NULL, 0);
	block->next = NULL;
	return block;
}

void block_drop(struct block *block)
{
	atomic_store_explicit(&block->word, BLOCK_GONE, memory_order_release);
	if (block_freelist_takes()) {
		block_freelist_push(block);
		return;
	}
	pthread_mutex_lock(&lock);
	spare_push(block);
	pthread_mutex_unlock(&lock);
}

bool block_claim(struct block *block, uint64_t addr)
{
	uint64_t word = atomic_load(&block->word);

	while ((word & ~BLOCK_BITS) == addr && word_is_live(word))
		if (atomic_compare_exchange_weak(&block->word, &word,
						 word | BLOCK_IDLE))
			return true;
	return false;
}

bool block_mark(struct block *block, uint64_t addr, uint64_t mark)
{
	uint64_t word = atomic_load(&block->word);

	while ((word & ~BLOCK_BITS) == addr && word_is_live(word))
		if (atomic_compare_exchange_weak(&block->word, &word,
						 word | mark))
			return true;
	return false;
}

void block_unmark(struct block *block)
{
	atomic_store(&block->word,
		     block_addr(block) | BLOCK_IDLE |
			     (block_word(block) & BLOCK_EXPORTED));
}

void block_revive(struct block *block)
{
	atomic_store_explicit(&block->word, block_word(block) & ~BLOCK_STATE,
			      memory_order_release);
}
