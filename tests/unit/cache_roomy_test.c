/* Larger blocks of a thread's cache that serve its requests, and what is told
 * of them. */
#include <string.h>

#include "tcache/fast.h"
#include "tcache/tcaches.h"
#include "block/block.h"
#include "pools/pool.h"
#include "stats/mempool_stats.h"
#include "run.h"

enum { UNIT = 4096, BLOCKS = 400 };

__thread struct tcache *tcache_current;

void mempool_leave(struct block *block)
{
	(void)block;
}

void thread_stats_sync(struct thread_stats *stats)
{
	(void)stats;
}

/* What was told in all; blocks, and bytes beyond requests. */
static size_t told, leases, most_told;
static int64_t serving, spare;
static size_t left; /* of each lease */

static void lease(struct device *device, const struct roomy_event *events,
		  size_t count, unsigned int sharers, struct lease *lease)
{
	(void)sharers;
	leases++;
	told += count;
	most_told = count > most_told ? count : most_told;
	for (size_t i = 0; i < count; i++) {
		serving += events[i].more;
		spare += events[i].more *
			 (int64_t)(events[i].given - events[i].span);
	}
	lease->left = left;
	lease->turn = device->idle_turn;
}

static const struct tcache_source source = {.lease = lease};
const struct tcache_source *tcache_source = &source;

static _Atomic uint64_t safe, epoch;
static struct device device;
static struct heap heap = {.device = &device};
static struct pool pool;
static struct block blocks[BLOCKS];
static size_t count;

static struct tcache *made(void)
{
	static struct tcache one;
	struct tcache *cache = &one;

	memset(cache, 0, sizeof(*cache));
	memset(&device, 0, sizeof(device));
	pool = (struct pool){.heap = &heap, .view.classes.unit = UNIT};
	cache->device = &device;
	cache->pool = &pool;
	cache->table = cache->index = block_table;
	cache->planned = &block_table_none;
	cache->safe = &safe;
	cache->epoch = &epoch;
	cache->stats.idle.left = cache->stats.hits.left =
		cache->stats.live.left = INT32_MAX;
	safe = 10;
	epoch = 1;
	told = leases = most_told = count = 0;
	serving = spare = 0;
	left = SIZE_MAX;
	return cache;
}

/* Puts an idle block of so many units, freed in a stream or in none (0) and in
 * that epoch, into the cache. */
static uint64_t put_of(struct tcache *cache, size_t units, unsigned int stream,
		       uint64_t freed)
{
	size_t key = block_key(units * UNIT, stream);
	struct magazine *magazine = magazine_at(cache, key);
	struct block *block = &blocks[count++], *stale;
	uint64_t addr = (uint64_t)(units + 1) << 30 | (uint64_t)stream << 20,
		 word;

	block->span = units * UNIT;
	block->epoch = freed;
	block_owner_set(block, &pool, 0);
	ck_assert(block_enter(block, addr, &stale, &word));
	ck_assert_ptr_eq(block_take(addr, &word), block);
	cache->table = cache->index = block_table;
	cache->planned = &block_table_none;
	if (magazine->key != key) {
		ck_assert(!magazine->key);
		tcache_rename(cache, magazine, key);
	}
	magazine_append(magazine, block);
	return addr;
}

static uint64_t put(struct tcache *cache, size_t units, uint64_t freed)
{
	return put_of(cache, units, 0, freed);
}

static bool serves(struct tcache *cache, size_t size, uint64_t expected)
{
	uint64_t addr = 0, word;
	bool served = tcache_alloc_roomy(cache, size, &addr);

	ck_assert(!cache->busy);
	if (!served)
		return false;
	ck_assert_uint_eq(addr, expected);
	block_find(addr, &word);
	ck_assert(word_is_live(word));
	return true;
}

static bool is_roomy(uint64_t addr)
{
	uint64_t word;

	block_find(addr, &word);
	return word == (addr | BLOCK_ROOMY);
}

START_TEST(the_least_block_serves_and_comes_back)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, 1), twelve = put(cache, 12, 1);
	struct block *taken;

	ck_assert(serves(cache, 10 * UNIT - 5, eleven));
	ck_assert(is_roomy(eleven));
	ck_assert(serves(cache, 10 * UNIT, twelve));
	ck_assert(!serves(cache, 10 * UNIT, 0));
	ck_assert_int_eq(tcache_free(cache, eleven, &taken), FAST_NOT);
	ck_assert_int_eq(tcache_free_marked(cache, eleven, &taken), FAST_DONE);
	ck_assert_int_eq(tcache_free_marked(cache, eleven, &taken), FAST_NOT);
	tcache_settle(cache);
	ck_assert_int_eq(serving, 1);
	ck_assert_int_eq(spare, 2 * UNIT);
	ck_assert(serves(cache, 11 * UNIT, eleven)); /* its own span again */
	ck_assert(!is_roomy(eleven));
	ck_assert_int_eq(tcache_free(cache, eleven, &taken), FAST_DONE);
	ck_assert_int_eq(tcache_free_marked(cache, twelve, &taken), FAST_DONE);
	tcache_settle(cache);
	ck_assert_int_eq(serving, 0);
	ck_assert_int_eq(spare, 0);
	ck_assert_int_eq(cache->stats.idle.left, INT32_MAX);
	ck_assert_int_eq(cache->stats.live.left, INT32_MAX);
}
END_TEST

START_TEST(no_block_serves_before_it_is_safe)
{
	struct tcache *cache = made();
	uint64_t twelve = put(cache, 12, 9);

	put(cache, 11, 10);
	ck_assert(serves(cache, 10 * UNIT, twelve));
	ck_assert(!serves(cache, 10 * UNIT, 0));
}
END_TEST

START_TEST(blocks_of_the_very_span_go_first)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, 1), ten;

	mnm_pool_idle_add(&pool.view, 10 * UNIT, 1); /* one is in the pool */
	ck_assert(!serves(cache, 10 * UNIT, 0));
	mnm_pool_idle_add(&pool.view, 10 * UNIT, -(size_t)1);
	put(cache, 10, 10); /* one may become safe */
	ck_assert(!serves(cache, 10 * UNIT, 0));
	ten = put_of(cache, 10, 3, 1); /* one that was in a stream is safe */
	ck_assert(serves(cache, 10 * UNIT, ten));
	ck_assert(serves(cache, 9 * UNIT, eleven));
}
END_TEST

START_TEST(another_thread_is_asked_for_a_large_block)
{
	struct tcache *cache = made();
	uint64_t large = put(cache, 1000, 1), small = put(cache, 11, 1);

	cache->sharers = 2;
	ck_assert(!serves(cache, 999 * UNIT, 0));
	ck_assert(serves(cache, 10 * UNIT, small));
	cache->sharers = 1;
	ck_assert(serves(cache, 999 * UNIT, large));
}
END_TEST

START_TEST(the_lease_says_how_much_is_to_spare)
{
	struct tcache *cache = made();
	uint64_t twelve, twenty;
	struct block *taken;

	left = 3 * UNIT;
	twelve = put(cache, 12, 1);
	twenty = put(cache, 20, 1);
	ck_assert(!serves(cache, 16 * UNIT, 0));
	ck_assert(serves(cache, 10 * UNIT, twelve));
	ck_assert(!serves(cache, 18 * UNIT, 0));
	ck_assert(serves(cache, 19 * UNIT, twenty));
	ck_assert_int_eq(tcache_free_marked(cache, twenty, &taken), FAST_DONE);
	ck_assert_int_eq(tcache_free_marked(cache, twelve, &taken), FAST_DONE);
	ck_assert(!serves(cache, 5 * UNIT, 0));
	ck_assert(serves(cache, 17 * UNIT, twenty));
	ck_assert_uint_eq(leases, 1);
	left = 0;
	ck_assert(!serves(cache, 11 * UNIT, 0));
	device.idle_turn++; /* what is known began anew */
	left = UNIT;
	ck_assert(serves(cache, 11 * UNIT, twelve));
	ck_assert_uint_eq(leases, 2);
}
END_TEST

START_TEST(nothing_is_served_while_shut_or_once_memory_was_short)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, 1);

	cache->table = cache->index =
		&block_table_none; /* as in a closed cache */
	ck_assert(!serves(cache, 10 * UNIT, 0));
	cache->table = cache->index = block_table;
	cache->planned = &block_table_none;
	device.oom_seen = true;
	ck_assert(!serves(cache, 10 * UNIT, 0));
	device.oom_seen = false;
	ck_assert(serves(cache, 10 * UNIT, eleven));
}
END_TEST

/* What is noted has an end: it is told in time, of requests and of frees. */
START_TEST(no_more_is_noted_than_there_is_room_for)
{
	struct tcache *cache = made();
	uint64_t addrs[BLOCKS / 2];
	struct block *taken;
	size_t units;

	for (size_t i = 0; i < BLOCKS / 2; i++) {
		units = 300 + 3 * i;
		if (magazine_at(cache, units * UNIT)->key) {
			addrs[i] = 0;
			continue;
		}
		addrs[i] = put(cache, units, 1);
		ck_assert(serves(cache, (units - 1) * UNIT, addrs[i]));
	}
	ck_assert_int_gt(serving, ROOMY_EVENTS);
	for (size_t i = 0; i < BLOCKS / 2; i++)
		if (addrs[i])
			ck_assert_int_eq(
				tcache_free_marked(cache, addrs[i], &taken),
				FAST_DONE);
	tcache_settle(cache);
	ck_assert_int_eq(serving, 0);
	ck_assert_int_eq(spare, 0);
	ck_assert_uint_eq(most_told, ROOMY_EVENTS);
}
END_TEST

START_TEST(what_comes_and_goes_is_told_once)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, 1);
	struct block *taken;

	for (int i = 0; i < 1000; i++) {
		ck_assert(serves(cache, (10 - i % 2) * UNIT, eleven));
		ck_assert_int_eq(tcache_free_marked(cache, eleven, &taken),
				 FAST_DONE);
	}
	tcache_settle(cache);
	ck_assert_uint_eq(told, 2);
	ck_assert_uint_eq(leases, 2);
}
END_TEST

START_TEST(a_block_of_another_pool_is_told_of_and_not_kept)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, 1);
	struct pool other = pool;
	struct block *taken = NULL;

	ck_assert(serves(cache, 10 * UNIT, eleven));
	cache->pool = &other;
	ck_assert_int_eq(tcache_free_marked(cache, eleven, &taken), FAST_TAKEN);
	fast_taken(cache, taken);
	tcache_settle(cache);
	ck_assert_int_eq(serving, 0);
	ck_assert_int_eq(cache->stats.idle.left, INT32_MAX + 11L * UNIT);
}
END_TEST

/* The slow path tells of it where it has to be told. */
START_TEST(a_block_of_another_device_is_left_as_it_is)
{
	struct tcache *cache = made();
	uint64_t eleven = put(cache, 11, 1);
	struct pool other = pool;
	struct device another = {0};
	struct block *taken = NULL;

	ck_assert(serves(cache, 10 * UNIT, eleven));
	cache->pool = &other;
	cache->device = &another;
	ck_assert_int_eq(tcache_free_marked(cache, eleven, &taken), FAST_TAKEN);
	fast_taken(cache, taken);
	tcache_settle(cache);
	ck_assert_int_eq(serving, 1);
	ck_assert_uint_eq(taken->word, eleven | BLOCK_ROOMY | BLOCK_IDLE);
}
END_TEST

int main(void)
{
	static const TTest *tests[11];
	size_t n = 0;

	tests[n++] = the_least_block_serves_and_comes_back;
	tests[n++] = no_block_serves_before_it_is_safe;
	tests[n++] = blocks_of_the_very_span_go_first;
	tests[n++] = another_thread_is_asked_for_a_large_block;
	tests[n++] = the_lease_says_how_much_is_to_spare;
	tests[n++] = nothing_is_served_while_shut_or_once_memory_was_short;
	tests[n++] = no_more_is_noted_than_there_is_room_for;
	tests[n++] = what_comes_and_goes_is_told_once;
	tests[n++] = a_block_of_another_pool_is_told_of_and_not_kept;
	tests[n++] = a_block_of_another_device_is_left_as_it_is;
	return tests_run("roomy", tests);
}
