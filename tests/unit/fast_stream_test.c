/* Larger blocks of a thread's cache that serve requests in a stream. */
#include <string.h>

#include "tcache/fast_stream.h"
#include "tcache/tcaches.h"
#include "block/block.h"
#include "order/stream_past.h"
#include "pools/pool.h"
#include "stats/mempool_stats.h"
#include "run.h"

enum { UNIT = 4096, KEY = 1 << 20, OWN = 3, OTHER = 2, THIRD = 9, FREED = 20 };

__thread struct tcache *tcache_current;
struct tcache tcache_none;
_Atomic unsigned int stream_changes;
_Atomic uint64_t streams_over[STREAM_NUMBERS];

static _Atomic uint64_t behind[STREAM_NUMBERS];

const uint64_t *stream_behind(unsigned int number)
{
	ck_assert_uint_eq(number, OWN);
	return (const uint64_t *)behind;
}

const uint64_t *stream_passed(unsigned int legacy)
{
	(void)legacy;
	return NULL;
}

void legacy_mark_later(struct context *context)
{
	(void)context;
}

void mempool_notice(unsigned int number)
{
	(void)number;
}

void mempool_leave(struct block *block)
{
	(void)block;
}

void thread_stats_turn(struct thread_stats *stats, unsigned int number)
{
	stats->mempool = number;
}

void thread_stats_sync(struct thread_stats *stats)
{
	(void)stats;
}

static struct device device;

static void lease(struct device *of, const struct roomy_event *events,
		  size_t count, unsigned int sharers, struct lease *lease)
{
	(void)events;
	(void)count;
	(void)sharers;
	lease->left = 100 * UNIT;
	lease->turn = of->idle_turn;
}

static const struct tcache_source source = {.lease = lease};
const struct tcache_source *tcache_source = &source;

static _Atomic uint64_t safe, epoch;
static struct heap heap = {.device = &device};
static _Alignas(POOL_ALIGN) struct pool pool;

/* A cache that remembers the stream whose number is OWN. */
static struct tcache *made(void)
{
	static struct tcache one;
	struct tcache *cache = &one;

	memset(cache, 0, sizeof(*cache));
	memset(behind, 0, sizeof(behind));
	pool = (struct pool){.heap = &heap, .view.classes.unit = UNIT};
	cache->device = &device;
	device.oom_seen = false;
	cache->pool = &pool;
	cache->unit = UNIT;
	cache->safe = &safe;
	cache->epoch = &epoch;
	cache->stats.idle.left = cache->stats.hits.left =
		cache->stats.live.left = INT32_MAX;
	cache->stats.ordered.left = INT32_MAX;
	cache->way.key = cache->way.asks = KEY;
	cache->way.number = OWN;
	cache->way.beside = true;
	cache->way.owner = owner_of(&pool, 0);
	safe = 10;
	epoch = FREED;
	return cache;
}

/* Puts an idle block of so many units, freed in that stream, into the cache. */
static uint64_t put(struct tcache *cache, size_t units, unsigned int stream)
{
	size_t key = block_key(units * UNIT, stream);
	struct magazine *magazine = magazine_at(cache, key);
	struct block *block = block_new(), *stale;
	uint64_t addr = (uint64_t)(units + 1) << 30 | (uint64_t)stream << 20,
		 word;

	block->span = units * UNIT;
	block->epoch = FREED;
	block_owner_set(block, &pool, 0);
	ck_assert(block_enter(block, addr, &stale, &word));
	ck_assert_ptr_eq(block_take(addr, &word), block);
	cache->table = cache->index = block_table;
	cache->planned = &block_table_none;
	ck_assert(!magazine->key);
	tcache_rename(cache, magazine, key);
	magazine_append(magazine, block);
	return addr;
}

/* The address of what serves a request, or 0. */
static uint64_t served(struct tcache *cache, size_t units)
{
	uint64_t addr = 0;
	enum fast done = tcache_alloc_beside(cache, KEY, FAST_NOT, NULL,
					     units * UNIT, &addr);

	ck_assert(!cache->busy);
	ck_assert(done == (addr ? FAST_DONE : FAST_NOT));
	return addr;
}

START_TEST(the_least_block_that_is_ready_serves)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, OTHER), twelve = put(cache, 12, OWN);

	ck_assert_uint_eq(served(cache, 10), twelve);
	ck_assert_uint_eq(served(cache, 10), 0);
	behind[OTHER] = FREED + 1;
	ck_assert_uint_eq(served(cache, 10), eleven);
}
END_TEST

START_TEST(blocks_of_the_very_span_go_first)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, OWN), ten;

	mnm_pool_idle_add(&pool.view, 10 * UNIT, 1); /* one is in the pool */
	ck_assert_uint_eq(served(cache, 10), 0);
	mnm_pool_idle_add(&pool.view, 10 * UNIT, -(size_t)1);
	put(cache, 10, OTHER); /* one may become ready */
	ck_assert_uint_eq(served(cache, 10), 0);
	ten = put(cache, 10, THIRD); /* one is, of a third stream */
	behind[THIRD] = FREED + 1;
	ck_assert_uint_eq(served(cache, 10), ten);
	ck_assert_uint_eq(served(cache, 9), eleven);
}
END_TEST

START_TEST(a_block_comes_back_only_in_a_stream_that_is_remembered)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, OWN), word;
	struct block *taken;

	ck_assert_uint_eq(served(cache, 10), eleven);
	cache->way.key = WAY_NONE; /* as others forget it */
	ck_assert_int_eq(
		tcache_free_beside(cache, KEY, FAST_NOT, eleven, &taken),
		FAST_NOT);
	block_find(eleven, &word);
	ck_assert_uint_eq(word, eleven | BLOCK_ORDERED | BLOCK_ROOMY);
	cache->way.key = KEY;
	ck_assert_int_eq(
		tcache_free_beside(cache, KEY, FAST_NOT, eleven, &taken),
		FAST_DONE);
	ck_assert_uint_eq(served(cache, 10), eleven);
}
END_TEST

/* While a recording is made, fast.h finds nothing. No larger block serves. */
static struct tcache *made_recorded(void)
{
	struct tcache *cache = made();

	cache->unit = 0;
	cache->recorded = true;
	device.oom_seen = true;
	cache->way.beside = false;
	return cache;
}

START_TEST(what_the_stream_freed_serves_it_while_that_is_recorded)
{
	struct tcache *cache = made_recorded();
	uint64_t ten = put(cache, 10, OWN), word;
	struct block *taken;

	cache->table = &block_table_none;
	for (int turn = 0; turn < 2; turn++) {
		ck_assert_uint_eq(served(cache, 10), ten);
		ck_assert_uint_eq(served(cache, 10), 0);
		block_find(ten, &word);
		ck_assert_uint_eq(word, ten | BLOCK_ORDERED);
		ck_assert_int_eq(
			tcache_free_beside(cache, KEY, FAST_NOT, ten, &taken),
			FAST_DONE);
		ck_assert(!cache->busy);
	}
}
END_TEST

START_TEST(what_others_freed_does_not_while_that_is_recorded)
{
	struct tcache *cache = made_recorded();
	uint64_t ten = put(cache, 10, OTHER);

	cache->ways[0].number = OTHER;
	ck_assert_uint_eq(served(cache, 10), 0);
	cache->way.beside = true;
	ck_assert_uint_eq(served(cache, 10), 0);
	behind[OTHER] = FREED + 1;
	ck_assert_uint_eq(served(cache, 10), ten);
}
END_TEST

int main(void)
{
	static const TTest *tests[6];

	tests[0] = the_least_block_that_is_ready_serves;
	tests[1] = blocks_of_the_very_span_go_first;
	tests[2] = a_block_comes_back_only_in_a_stream_that_is_remembered;
	tests[3] = what_the_stream_freed_serves_it_while_that_is_recorded;
	tests[4] = what_others_freed_does_not_while_that_is_recorded;
	return tests_run("fast stream", tests);
}
