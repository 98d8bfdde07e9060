#include <pthread.h>
#include <stdlib.h>

#include <uthash.h>

#include "block.h"
#include "buffer_id.h"

struct buffer_id {
	const struct block *block; /* the key */
	uint32_t id;
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under lock. */
static struct buffer_id *ids;
static uint32_t last;

/* Under lock. */
static struct buffer_id *buffer_id_find(const struct block *block)
{
	struct buffer_id *id;

	HASH_FIND_PTR(ids, &block, id);
	return id;
}

/* Under lock. Returns NULL if there is no memory. */
static struct buffer_id *buffer_id_add(const struct block *block)
{
	struct buffer_id *id = calloc(1, sizeof(*id));

	if (!id)
		return NULL;
	id->block = block;
	HASH_ADD_PTR(ids, block, id);
	if (id->hh.tbl)
		return id;
	free(id);
	return NULL;
}

/* Under lock. Because of the mark, the free of the block ends the id. If a
 * block has no mark but an id is found here, the id is of a life that ended
 * unseen. */
static uint32_t id_of(struct block *block, uint64_t addr, bool named)
{
	struct buffer_id *id = buffer_id_find(block);

	if (!id)
		id = buffer_id_add(block);
	if (id && (!id->id || !named))
		id->id = ++last ? last : ++last;
	return id && (named || block_mark(block, addr, BLOCK_NAMED)) ? id->id
								     : 0;
}

uint32_t buffer_id_of(struct block *block, uint64_t addr)
{
	uint32_t found = 0;
	uint64_t word;

	pthread_mutex_lock(&lock);
	word = atomic_load(&block->word);
	if ((word & ~BLOCK_BITS) == addr) /* else the record has moved on */
		found = id_of(block, addr, word & BLOCK_NAMED);
	pthread_mutex_unlock(&lock);
	return found;
}

void buffer_id_forget(const struct block *block)
{
	struct buffer_id *id;

	pthread_mutex_lock(&lock);
	id = buffer_id_find(block);
	if (id) {
		HASH_DEL(ids, id);
		free(id);
	}
	pthread_mutex_unlock(&lock);
}
