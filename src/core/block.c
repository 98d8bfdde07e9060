/* Records of blocks, cut from slabs that are never given back: a free of a
 * stale address may still look at one. */
#include <pthread.h>
#include <sys/mman.h>

#include "block.h"

enum { SLAB_SIZE = 64 << 10 }; /* bytes: 1024 records */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *spare; /* linked by next */

/* Under lock. */
static void slab_cut(void)
{
	struct block *slab = mmap(NULL, SLAB_SIZE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (slab == MAP_FAILED)
		return;
	for (size_t i = 0; i < SLAB_SIZE / sizeof(*slab); i++) {
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
	block->addr = block->size = block->span = block->epoch = 0;
	block->pool = NULL;
	block->next = NULL;
	block->pinned = false;
	atomic_store(&block->id, 0);
	atomic_store(&block->exported, false);
	atomic_store(&block->context, NULL);
	return block;
}

void block_drop(struct block *block)
{
	pthread_mutex_lock(&lock);
	block->next = spare;
	spare = block;
	pthread_mutex_unlock(&lock);
}
