/* A pool as mnm holds it: its policy (mnm/pool.h), whom it serves, and what
 * becomes of it. */
#ifndef MNM_HELD_POOL_H
#define MNM_HELD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mnm/pool.h>

#include "block/block.h"
#include "common/option.h"
#include "common/pool_choice.h"

struct heap;

/* src/heap and the caches fill and read it. */
struct pool {
	/* The heap that it serves. First and atomic: the record of a closed
	 * pool is kept, so that a thread that comes late with one of its blocks
	 * still finds a context. */
	struct heap *_Atomic heap __attribute__((aligned(POOL_ALIGN)));
	bool retired; /* swapped out: takes no whole block back */
	/* Of its regions: bytes that are free, and such as stay as they are,
	 * because others may use them for ever. */
	size_t free_bytes, buried_bytes;
	/* Whether its blocks may be whole allocations of the driver's, although
	 * it places blocks; whether its regions are no more. */
	_Atomic bool has_whole, has_lost;
	struct pool *next; /* of the heap's pools */
	/* What the policy sees. The struct that is the pool's own begins here,
	 * and is larger. */
	struct mnm_pool view;
};

/* Whether the pool may have idle blocks of a span. May be asked without the
 * lock; the answer may be wrong then. */
static inline bool pool_may_have(const struct pool *pool, size_t span)
{
	return __atomic_load_n(&pool->view.idle[mnm_pool_idle_at(span)],
			       __ATOMIC_RELAXED);
}

static inline bool pool_places(const struct pool *pool)
{
	return pool->view.ops->place;
}

/* Whether freed memory stays with the pool. */
static inline bool pool_ops_keep(const struct mnm_pool_ops *ops)
{
	return ops->alloc || ops->place;
}

/* What a pool is told of the options. */
static inline struct mnm_pool_options pool_options(const struct config *config)
{
	return (struct mnm_pool_options){
		.size = sizeof(struct mnm_pool_options),
		.page_size = config->page_size,
		.size_classes = config->size_classes,
		.round_cutoff = config->round_cutoff,
		.headroom = config->headroom,
		.vmm_spare = config->vmm_spare,
	};
}

/* A list as a pool sees it, and one of a pool's. */
static inline struct mnm_block_list list_idle(const struct block_list *list)
{
	return (struct mnm_block_list){&list->head->idle, &list->tail->idle,
				       list->count};
}

static inline struct block_list list_of_idle(struct mnm_block_list idle)
{
	return (struct block_list){block_of_idle(idle.head),
				   block_of_idle(idle.tail), idle.count};
}

/* The pool of a choice (common/pool_choice.h). The second replaces that of a
 * row, before any pool is made. */
const struct mnm_pool_ops *pool_ops_at(int choice);
void pool_ops_set(int row, const struct mnm_pool_ops *ops);

/* How a recording names the pool: its row, from 1; 0: it has none. */
unsigned int pool_number(const struct pool *pool);

#endif
