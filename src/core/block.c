/* Records of blocks, cut from slabs that are never given back: a free of a
 * stale address may still look at one. */
#include <pthread.h>
#include <sys/mman.h>

#include "block.h"

enum { SLAB_SIZE = 24 << 10 }; /* bytes: 512 records */

_Static_assert(sizeof(struct block) == 48, "as block.h says");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *spare; /* linked by next */

/* Under lock. */
static void slab_cut(void)
{
	struct block *slab = mmap(NULL, SLAB_SIZE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (slab == MAP_FAILED)
		return;
	for (size_t i = SLAB_SIZE / sizeof(*slab); i--;) {
		slab[i].next = spare;
		spare = &slab[i];
	}
}

struct block *block_new(void)
{
	struct block *block;

	pthread_mutex_lock(&lock);
	if (!spare)
		slab_cut();
	block = spare;
	if (block)
		spare = block->next;
	pthread_mutex_unlock(&lock);
	if (!block)
		return NULL;
	block->size = block->span = block->epoch = 0;
	block->pool = NULL;
	block->next = NULL;
	return block;
}

void block_drop(struct block *block)
{
	atomic_store(&block->word, 0);
	pthread_mutex_lock(&lock);
	block->next = spare;
	spare = block;
	pthread_mutex_unlock(&lock);
}

bool block_claim(struct block *block)
{
	uint64_t word = atomic_load(&block->word);

	while (word & BLOCK_LIVE)
		if (atomic_compare_exchange_weak(&block->word, &word,
						 word ^ BLOCK_STATE))
			return true;
	return false;
}

bool block_mark(struct block *block, uint64_t addr, uint64_t mark)
{
	uint64_t word = atomic_load(&block->word);

	while ((word & ~BLOCK_BITS) == addr && word & BLOCK_LIVE)
		if (atomic_compare_exchange_weak(&block->word, &word,
						 word | mark))
			return true;
	return false;
}

void block_unmark(struct block *block)
{
	atomic_store(&block->word, block_addr(block) | BLOCK_IDLE);
}

void block_revive(struct block *block)
{
	atomic_store(&block->word, block_word(block) ^ BLOCK_STATE);
}
