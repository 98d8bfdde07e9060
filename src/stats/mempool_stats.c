#include <stdatomic.h>

#include "mempool_stats.h"

/* What one of several threads may miss of a maximum, as in thread_stats.c. */
enum { MAXIMUM_GRAIN = 16, MAXIMUM_MISSED = 8 << 20 };

/* Bytes that a pool of CUDA's takes from the device at a time, at least. */
enum { RETURNED_GRAIN = 2 << 20 };

static struct mempool {
	_Atomic int64_t used;            /* what no thread counts for itself */
	_Atomic int64_t used_beside;     /* bytes that CUDA serves */
	_Atomic int64_t reserved_beside; /* that it was last known to hold */
	_Atomic int64_t used_high, reserved_high; /* of both together */
	_Atomic int64_t reserved;
	_Atomic int64_t returned; /* idle bytes of these that don't count */
	_Atomic int64_t limit;    /* of what is reserved; or 0 */
} mempools[MEMPOOLS];

static _Atomic bool opened;

bool mempools_are_used(void)
{
	return atomic_load_explicit(&opened, memory_order_relaxed);
}

static uint64_t at_least_none(int64_t bytes)
{
	return bytes > 0 ? (uint64_t)bytes : 0;
}

static void raise(_Atomic int64_t *high, int64_t to)
{
	int64_t before = atomic_load(high);

	while (before < to && !atomic_compare_exchange_weak(high, &before, to))
		;
}

void mempool_stats_open(unsigned int number)
{
	struct mempool *pool = &mempools[number];

	atomic_store(&opened, true);
	thread_stats_mempool_open(number);
	atomic_store(&pool->used, 0);
	atomic_store(&pool->used_high, 0);
	atomic_store(&pool->reserved_high, 0);
	atomic_store(&pool->reserved_beside, 0);
	atomic_store(&pool->returned, atomic_load(&pool->reserved));
	atomic_store(&pool->limit, 0);
}

void mempool_stats_limit(unsigned int number, size_t bytes)
{
	atomic_store(&mempools[number].limit,
		     bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX);
}

/* What the pool has lost was idle, so it is of what was returned first. */
static void returned_leaves(struct mempool *pool, int64_t bytes)
{
	int64_t before = atomic_load(&pool->returned), after;

	do
		after = before > bytes ? before - bytes : 0;
	while (before &&
	       !atomic_compare_exchange_weak(&pool->returned, &before, after));
}

/* What is used was not returned: a pool of CUDA's would have taken it anew, in
 * grains. */
static void returned_serves(struct mempool *pool, int64_t used)
{
	int64_t before = atomic_load(&pool->returned), after;

	do {
		after = atomic_load(&pool->reserved) - used;
		if (before > after)
			after -= RETURNED_GRAIN;
		after = after > 0 ? after : 0;
	} while (before > after && !atomic_compare_exchange_weak(
					   &pool->returned, &before, after));
}

static int64_t reserved_now(const struct mempool *pool, int64_t used)
{
	int64_t reserved =
		atomic_load(&pool->reserved) - atomic_load(&pool->returned);
	int64_t limit = atomic_load(&pool->limit);

	if (limit && reserved > limit)
		reserved = limit;
	return reserved > used ? reserved : used;
}

static void reserved_raise(struct mempool *pool, int64_t used)
{
	raise(&pool->reserved_high,
	      reserved_now(pool, used) + atomic_load(&pool->reserved_beside));
}

void mempool_reserve(unsigned int number, int64_t bytes)
{
	struct mempool *pool = &mempools[number];

	if (!number)
		return;
	atomic_fetch_add(&pool->reserved, bytes);
	if (bytes < 0)
		returned_leaves(pool, -bytes);
	else
		reserved_raise(pool, 0);
}

void mempool_leave(struct block *block)
{
	unsigned int number = block_mempool(block);

	if (!number)
		return;
	mempool_reserve(number, -(int64_t)block->span);
	block_owner_set(block, block_pool(block), 0);
}

/* Sets *several if more than one thread counts. */
static int64_t used_now(unsigned int number, bool *several)
{
	return thread_stats_mempool(number, several) +
	       atomic_load(&mempools[number].used);
}

__attribute__((no_sanitize("thread"))) void mempool_count(unsigned int number,
							  int64_t bytes)
{
	struct thread_stats *own = thread_stats_own;

	if (!number)
		return;
	if (!own->device)
		atomic_fetch_add(&mempools[number].used, bytes);
	else
		own->mempools[number].left -= bytes;
	if (bytes > 0 && (!own->device || own->mempools[number].left < 0))
		mempool_notice(number);
}

__attribute__((no_sanitize("thread"))) void mempool_notice(unsigned int number)
{
	struct mempool *pool = &mempools[number];
	bool several;
	int64_t now = used_now(number, &several), room, more;

	raise(&pool->used_high, now + atomic_load(&pool->used_beside));
	returned_serves(pool, now);
	reserved_raise(pool, now);
	if (!thread_stats_own->device)
		return;
	room = atomic_load(&pool->used_high) - atomic_load(&pool->used_beside) -
	       now;
	more = atomic_load(&pool->used_high) / MAXIMUM_GRAIN;
	if (several)
		room += more < MAXIMUM_MISSED ? more : MAXIMUM_MISSED;
	more = reserved_now(pool, now) - now; /* before more are served anew */
	if (atomic_load(&pool->returned) && room > more)
		room = more;
	thread_stats_mempool_room(thread_stats_own, number, room);
}

void mempool_count_beside(unsigned int number, int64_t bytes)
{
	struct mempool *pool = &mempools[number];
	int64_t beside = atomic_fetch_add(&pool->used_beside, bytes) + bytes;
	bool several;

	raise(&pool->used_high, used_now(number, &several) + beside);
}

void mempool_reserve_beside(unsigned int number, uint64_t bytes)
{
	atomic_store(&mempools[number].reserved_beside, (int64_t)bytes);
	mempool_reserved_peak(number, bytes);
}

uint64_t mempool_used_peak(unsigned int number, uint64_t beside)
{
	struct mempool *pool = &mempools[number];
	bool several;

	raise(&pool->used_high, used_now(number, &several) + (int64_t)beside);
	return at_least_none(atomic_load(&pool->used_high));
}

uint64_t mempool_reserved_peak(unsigned int number, uint64_t beside)
{
	struct mempool *pool = &mempools[number];
	bool several;
	int64_t own = reserved_now(pool, used_now(number, &several));

	raise(&pool->reserved_high, own + (int64_t)beside);
	return at_least_none(atomic_load(&pool->reserved_high));
}

bool mempool_is_beside(unsigned int number)
{
	return atomic_load(&mempools[number].used_beside) > 0;
}

bool mempool_has_blocks(unsigned int number)
{
	return atomic_load(&mempools[number].reserved) != 0;
}

struct mempool_figures mempool_figures(unsigned int number)
{
	struct mempool *pool = &mempools[number];
	bool several;
	int64_t used = used_now(number, &several);
	int64_t reserved = reserved_now(pool, used);

	return (struct mempool_figures){
		.used = at_least_none(used),
		.reserved = at_least_none(reserved),
	};
}

void mempool_mark_used(unsigned int number)
{
	bool several;

	atomic_store(&mempools[number].used_high,
		     used_now(number, &several) +
			     atomic_load(&mempools[number].used_beside));
}

void mempool_mark_reserved(unsigned int number)
{
	struct mempool_figures figures = mempool_figures(number);

	atomic_store(&mempools[number].reserved_high,
		     (int64_t)figures.reserved +
			     atomic_load(&mempools[number].reserved_beside));
}

size_t mempool_return(unsigned int number, size_t keep)
{
	struct mempool_figures figures = mempool_figures(number);
	uint64_t least = figures.used > keep ? figures.used : keep;

	if (figures.reserved <= least)
		return 0;
	raise(&mempools[number].returned,
	      atomic_load(&mempools[number].reserved) - (int64_t)least);
	mempool_notice(number); /* what is served from now on is taken anew */
	return figures.reserved - least;
}
