/* The parts of a checked pool, for the files of this folder. */
#ifndef MNM_CHECKED_POOL_H
#define MNM_CHECKED_POOL_H

#include "call.h"
#include "checked.h"
#include "held_blocks.h"
#include "held_bytes.h"

struct checked_table {
	struct mnm_pool_ops ops; /* of the checked pools; first */
	const struct mnm_pool_ops *inner;
	struct code code; /* of the pool */
	bool off;         /* atomic */
	bool shut;        /* atomic; its open has failed, which was said */
	struct checked_table *next;
};

struct checked_pool {
	struct mnm_pool pool; /* has to be first */
	struct checked_table *table;
	struct mnm_pool *inner;    /* of the pool that is checked */
	struct held_blocks blocks; /* that it has */
	struct held_bytes bytes;
	struct mnm_pool *keeper; /* has its free bytes once it is off */
	size_t lacked;           /* span for which it was last to say */
	bool lacked_fresh;       /* that it was to be of fresh bytes alone */
	size_t due, gained;      /* bytes that it lacked; fresh ones since */
	unsigned int vain;       /* so often it found no place afterwards */
	unsigned int refused;    /* so often it took no fresh bytes */
};

static inline struct checked_pool *checked_self(struct mnm_pool *pool)
{
	return (struct checked_pool *)pool;
}

/* What addresses and spans are multiples of. A pool of others that places is
 * asked for whole pages of pinned memory, and need not know why. */
static inline size_t checked_unit(const struct mnm_pool *pool)
{
	return pool->ops->place && pool->backing == MNM_BACKING_HOST
		       ? MNM_HOST_PAGE
		       : MNM_SPAN_UNIT;
}

/* Whether the pool may be asked no more. */
bool checked_off(const struct checked_pool *self);

/* The pool's answer is wrong: it is switched off. Says so once. */
void checked_fault(struct checked_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Tells the pool what mnm has changed in its own record. To be called before
 * each call. */
void checked_tell(struct checked_pool *self);

/* The functions of struct mnm_pool_ops for whole blocks, and for places. */
enum mnm_answer checked_alloc(struct mnm_pool *pool,
			      const struct mnm_request *request,
			      struct mnm_block **block);
bool checked_free(struct mnm_pool *pool, struct mnm_block *block);
struct mnm_block_list checked_alloc_batch(struct mnm_pool *pool,
					  const struct mnm_request *request,
					  size_t most);
bool checked_free_batch(struct mnm_pool *pool,
			const struct mnm_block_list *list);
struct mnm_block *checked_trim(struct mnm_pool *pool, size_t bytes);
enum mnm_answer checked_place(struct mnm_pool *pool,
			      const struct mnm_request *request,
			      struct mnm_place *place);
bool checked_add(struct mnm_pool *pool, const struct mnm_place *place);
void checked_lacks(struct mnm_pool *pool, size_t span,
		   const struct mnm_region *grows, enum mnm_growth rule,
		   struct mnm_lack *lack);
bool checked_part(struct mnm_pool *pool, size_t bytes, bool moves,
		  struct mnm_place *place);
bool checked_part_aged(struct mnm_pool *pool, uint64_t *age,
		       struct mnm_place *place);

/* Ends what keeps free bytes of a pool that is off. */
void checked_keeper_close(struct checked_pool *self);

#endif
