/* Taking and freeing along the course of a plan (pools/course.h) without a
 * lock.
 *
 * The cache that holds the course works on the plan while it is busy, as it
 * does on its magazines: whoever closes it has the plan once it is not busy any
 * more. A free of any thread of the context takes the block by one step on its
 * word, and then stamps the block's cell, whose last store says that it is
 * done. Until then, nobody uses the cell's bytes. So nothing but a step on the
 * block's word, which happens once, decides between two frees. */
#include "tcaches.h"
#include "fast.h"
#include "plan/replay_step.h"
#include "tcache_note.h"

/* The next place of the plan for a request of size bytes; or NULL. */
static struct block *step_take(struct tcache *cache, size_t size)
{
	struct course *course =
		atomic_load_explicit(&cache->steps, memory_order_acquire);
	struct arena_cell *cell;
	struct block *block;

	if (!course || !course->replay)
		return NULL;
	cell = replay_step(course->replay, course->arena,
			   (size + course->unit - 1) & -course->unit,
			   atomic_load(cache->safe), course_now(course));
	if (!cell)
		return NULL;
	arena_pass(course->arena);
	block = cell->record;
	block->use = size;
	block->span = cell->size;
	block->next = (struct block *)cell; /* it may have been in a list */
	return block;
}

bool tcache_alloc_step(struct tcache *cache, size_t size, uint64_t *addr)
{
	struct thread_stats *stats = &cache->stats;
	struct block *block;
	size_t span;
	bool due;

	tcache_enter(cache);
	block = step_take(cache, size);
	if (!block) {
		tcache_leave(cache);
		return false;
	}
	*addr = block_word(block) & ~BLOCK_BITS;
	span = block->span;
	figure_add(&stats->planned, -span);
	atomic_store_explicit(&block->word, *addr | BLOCK_PLANNED,
			      memory_order_release);
	due = figure_add(&stats->live.left, -size) < 0;
	due |= figure_add(&stats->hits.left, -UINT64_C(1)) < 0;
	if (due)
		fast_look(cache);
	else
		tcache_leave(cache);
	tcache_note_step(cache, MNM_RECORD_ALLOC, block_pool(block), *addr,
			 size, span);
	return true;
}

enum fast tcache_free_planned(struct tcache *cache, uint64_t addr,
			      struct block **taken)
{
	struct block_table *table;
	struct block *block;
	size_t span;

	tcache_enter(cache);
	table = atomic_load_explicit(&cache->planned, memory_order_acquire);
	if (!block_take_at(table, addr, BLOCK_PLANNED, taken)) {
		tcache_leave(cache);
		return FAST_NOT;
	}
	block = *taken;
	span = block->span;
	if (block->owner != owner_of(cache->course->pool, 0) ||
	    figure_add(&cache->planned_freed, span) >
		    atomic_load_explicit(&cache->planned_room,
					 memory_order_relaxed)) {
		figure_add(&cache->stats.idle.left, -span); /* see fast_taken */
		return FAST_TAKEN;
	}
	figure_add(&cache->stats.planned, span);
	figure_add(&cache->stats.freed, span);
	figure_add(&cache->stats.live.left, block->use);
	figure_add(&cache->stats.frees, 1);
	/* The stamp after the step on the word; see fast.h. */
	block->epoch = atomic_load(cache->epoch);
	/* Before anybody may use the cell. */
	tcache_note_step(cache, MNM_RECORD_FREE, cache->course->pool, addr, 0,
			 0);
	arena_cell_free((struct arena_cell *)block->next, block->epoch,
			course_now(cache->course));
	tcache_leave(cache);
	return FAST_DONE;
}
