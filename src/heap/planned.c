#include "planned.h"

#include "placed.h"
#include "pools/tstack_pool.h"
#include "whole.h"

enum { TURNS = 4 }; /* requests in turn, and their thread holds the course */

/* The course of the pool, or NULL. A pool behind checks has none. */
static struct course *course_of(const struct pool *pool)
{
	struct course *course;

	if (!pool_is_tstack(&pool->view))
		return NULL;
	course = tstack_pool_course((struct mnm_pool *)&pool->view);
	return course->doors ? course : NULL;
}

/* The cell that a block of the pool at that address has; or NULL. */
static struct arena_cell *cell_at(const struct pool *pool, uint64_t addr)
{
	return course_of(pool) ? tstack_pool_cell(&pool->view, addr) : NULL;
}

static struct arena_cell *cell_of(const struct block *block)
{
	struct arena_cell *cell = cell_at(block_pool(block), block_addr(block));

	return cell && cell->record == block ? cell : NULL;
}

/* Another thread may be freeing a block that lives. */
static void cell_leave(struct course *course, struct arena_cell *cell)
{
	struct block *block = cell->record;

	cell->record = NULL;
	if (arena_cell_lives(cell)) {
		atomic_fetch_and(&block->word, ~BLOCK_PLANNED);
		return;
	}
	heap_placed_in(course->pool->heap, block->epoch);
	placed_record_end(block);
}

static const struct course_doors doors = {
	.recall = tcaches_course_recall,
	.close = tcaches_course_close,
	.leave = cell_leave,
};

void planned_open(struct pool *pool)
{
	struct course *course;

	if (!pool_is_tstack(&pool->view) || sizes_are_whole())
		return;
	course = tstack_pool_course(&pool->view);
	course->pool = pool;
	course->doors = &doors;
}

void planned_end(struct pool *pool)
{
	if (!course_of(pool))
		return;
	tstack_pool_course_end(&pool->view);
	planned_settle(pool);
}

static void heap_end(struct heap *heap, void *unused)
{
	(void)unused;
	for (struct pool *pool = heap->pools; pool; pool = pool->next)
		planned_end(pool);
}

void planned_end_all(void)
{
	heaps_each(heap_end, NULL);
}

struct block *planned_record(struct pool *pool, const struct mnm_place *place)
{
	struct arena_cell *cell = cell_at(pool, place->addr);
	struct block *block = cell ? cell->record : NULL;

	if (!block)
		return NULL;
	block->span = place->bytes;
	block->epoch = place->epoch;
	return block;
}

void planned_know(struct pool *pool, struct block *block)
{
	struct arena_cell *cell = cell_at(pool, block_addr(block));

	if (cell)
		cell->record = block;
}

bool planned_stays(const struct block *block)
{
	return cell_of(block);
}

void planned_forget(const struct block *block)
{
	struct pool *pool = block_pool(block);
	struct arena_cell *cell = cell_of(block);

	if (!cell)
		return;
	cell->record = NULL;
	tstack_pool_count(&pool->view, cell);
	planned_settle(pool);
}

void planned_settle(struct pool *pool)
{
	struct arena_owed owed;

	if (!pool_is_tstack(&pool->view))
		return;
	owed = tstack_pool_owed(&pool->view);
	pool->view.live_count += (size_t)owed.blocks;
	pool->view.live_span += (size_t)owed.bytes;
	pool->free_bytes -= (size_t)owed.bytes;
}

void planned_lend(struct pool *pool, struct block *block, bool plain)
{
	struct course *course = course_of(pool);
	struct tcache *cache = tcache_of(pool->heap);
	struct arena_cell *cell;

	if (!course || !cache)
		return;
	if (course->asker != cache && course->turns)
		course->turns = 1;
	course->asker = cache;
	cell = cell_of(block);
	if (!plain || !cell || !tstack_pool_in_turn(&pool->view, cell))
		return;
	block->next = (struct block *)cell;
	block_mark(block, block_addr(block), BLOCK_PLANNED);
	if (course->turns < TURNS || !course->unit)
		tcache_course_join(cache, course);
	else if (course->holder != cache)
		tcache_course_hold(cache, course);
}

void planned_join(struct pool *pool, struct tcache *cache)
{
	struct course *course = course_of(pool);

	if (course)
		tcache_course_join(cache, course);
}
