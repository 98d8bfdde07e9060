/* How a cache finds its magazines by span. */
#include <string.h>

#include "tcache/fast.h"
#include "tcache/tcaches.h"
#include "block/block.h"
#include "pools/pool.h"
#include "stats/mempool_stats.h"
#include "run.h"

enum { UNIT = 4096, SPANS = 500 };

__thread struct tcache *tcache_current;

static const struct block *left; /* the last that is no pool's of CUDA's */

void mempool_leave(struct block *block)
{
	left = block;
}

void thread_stats_sync(struct thread_stats *stats)
{
	(void)stats;
}

static _Atomic uint64_t safe;
static struct pool pool;
static struct block_table table; /* stands for one that has blocks */

static struct tcache *made(void)
{
	static struct tcache one;
	struct tcache *cache = &one;

	memset(cache, 0, sizeof(*cache));
	pool = (struct pool){.view.classes.unit = UNIT};
	cache->pool = &pool;
	cache->table = cache->index = &table;
	cache->safe = &safe;
	cache->stats.hits.left = cache->stats.live.left = INT32_MAX;
	safe = 10;
	return cache;
}

static size_t draw(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + 1;
	return (size_t)(state >> 40);
}

static void check_names(const struct tcache *cache, size_t count)
{
	ck_assert_uint_eq(cache->named, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert(!i || cache->keys[i - 1] < cache->keys[i]);
		ck_assert_uint_eq(cache->magazines[cache->names[i]].key,
				  cache->keys[i]);
	}
}

START_TEST(spans_are_in_order_and_lead_to_their_magazines)
{
	struct tcache *cache = made();
	size_t span;

	for (size_t i = 0; i < SPANS; i++)
		tcache_rename(cache, &cache->magazines[i],
			      (draw() % 1000 * SPANS + i + 1) * UNIT);
	check_names(cache, SPANS);
	for (size_t i = 0; i < 4 * SPANS; i++) {
		span = (draw() % 1000 * SPANS + i % SPANS + 1) * UNIT;
		tcache_rename(cache, &cache->magazines[i % SPANS], span);
		ck_assert_uint_eq(cache->names[tcache_place(cache, span)],
				  i % SPANS);
	}
	check_names(cache, SPANS);
	ck_assert_uint_eq(tcache_place(cache, 0), 0);
	ck_assert_uint_eq(tcache_place(cache, SIZE_MAX), SPANS);
}
END_TEST

/* Puts an idle block of so many units, freed in that epoch, into the cache. */
static uint64_t put(struct tcache *cache, size_t units, uint64_t epoch)
{
	struct magazine *magazine = &cache->magazines[units];
	static struct block blocks[8];
	static size_t count;
	struct block *block = &blocks[count++];

	block->word = units << 20 | BLOCK_IDLE;
	block->span = units * UNIT;
	block->epoch = epoch;
	tcache_rename(cache, magazine, block->span);
	magazine_set(magazine, block);
	magazine->tail = block;
	return units << 20;
}

START_TEST(slack_is_served_by_the_least_block_that_is_safe)
{
	struct tcache *cache = made();
	uint64_t addr = 0, eleven = put(cache, 11, 1);
	uint64_t twelve = put(cache, 12, 9);
	const struct block *first = cache->magazines[11].head;

	put(cache, 9, 1);
	put(cache, 10, 10); /* this one is not safe */
	ck_assert_uint_eq(
		tcache_alloc_slack(cache, 10 * UNIT - 5, 4 * UNIT, &addr),
		11 * UNIT);
	ck_assert_uint_eq(addr, eleven);
	ck_assert_uint_eq(first->word, eleven | BLOCK_ROOMY);
	ck_assert_ptr_eq(left, first);
	ck_assert(!tcache_alloc_slack(cache, 10 * UNIT, UNIT, &addr));
	ck_assert(tcache_alloc_slack(cache, 10 * UNIT, 2 * UNIT, &addr));
	ck_assert_uint_eq(addr, twelve);
	ck_assert(!tcache_alloc_slack(cache, 10 * UNIT, 2 * UNIT, &addr));
	ck_assert(!cache->busy);
}
END_TEST

START_TEST(slack_is_what_is_said_and_none_while_shut)
{
	struct tcache *cache = made();
	uint64_t addr = 0;

	put(cache, 16, 1);
	ck_assert(!tcache_alloc_slack(cache, 11 * UNIT, 5 * UNIT - 1, &addr));
	cache->table = cache->index =
		&block_table_none; /* as in a closed cache */
	ck_assert(!tcache_alloc_slack(cache, 11 * UNIT, 100 * UNIT, &addr));
	cache->table = cache->index = &table;
	ck_assert(tcache_alloc_slack(cache, 11 * UNIT, SIZE_MAX, &addr));
	ck_assert(!tcache_alloc_slack(NULL, 11 * UNIT, 100 * UNIT, &addr));
}
END_TEST

/* The magazine is where the fast path of such a pool looks for it. */
static uint64_t put_at(struct tcache *cache, size_t span, struct block *block)
{
	struct magazine *magazine = magazine_at(cache, span);

	block->word = (uint64_t)span << 20 | BLOCK_IDLE;
	block->span = span;
	block->epoch = 9;
	tcache_rename(cache, magazine, span);
	magazine_set(magazine, block);
	magazine->tail = block;
	return (uint64_t)span << 20;
}

START_TEST(divisions_of_powers_of_two_find_their_magazine)
{
	struct tcache *cache = made();
	static struct block small, large;
	uint64_t addr = 0, first, second;

	pool.view.classes.divisions = 4;
	cache->divided = &pool.view.classes;
	first = put_at(cache, 12 * UNIT, &small);
	second = put_at(cache, 64 * UNIT, &large);
	ck_assert(!tcache_alloc_divided(cache, 10 * UNIT, &addr));
	ck_assert(tcache_alloc_divided(cache, 10 * UNIT + 1, &addr));
	ck_assert_uint_eq(addr, first);
	ck_assert_uint_eq(small.use, 10 * UNIT + 1);
	ck_assert(!tcache_alloc_divided(cache, 12 * UNIT, &addr));
	ck_assert(!tcache_alloc_divided(cache, 56 * UNIT, &addr));
	safe = 9; /* not yet */
	ck_assert(!tcache_alloc_divided(cache, 64 * UNIT, &addr));
	safe = 10;
	cache->divided = NULL; /* as in a closed cache */
	ck_assert(!tcache_alloc_divided(cache, 64 * UNIT, &addr));
	cache->divided = &pool.view.classes;
	ck_assert(tcache_alloc_divided(cache, 64 * UNIT, &addr));
	ck_assert_uint_eq(addr, second);
	ck_assert(!cache->busy);
}
END_TEST

int main(void)
{
	static const TTest *tests[5];

	tests[0] = spans_are_in_order_and_lead_to_their_magazines;
	tests[1] = slack_is_served_by_the_least_block_that_is_safe;
	tests[2] = slack_is_what_is_said_and_none_while_shut;
	tests[3] = divisions_of_powers_of_two_find_their_magazine;
	return tests_run("cache spans", tests);
}
