/* What threads that share sizes keep, and take from each other. */
#include <pthread.h>
#include <string.h>

#include "tcache/tcaches.h"
#include "cuda/backing.h"
#include "order/capture.h"
#include "tcache/pass_through.h"
#include "order/fence.h"
#include "heap/limit.h"
#include "common/pool_list.h"
#include "heap/pools.h"
#include "heap/idle_limit.h"
#include "run.h"

enum {
	SPAN = 1 << 20,
	ROOM = 16 * SPAN,
	OFTEN = 1000,
	OWED = 32, /* requests after which a raided cache keeps blocks again */
	SMALL = 4096,
};

static struct context context;
static struct pool *pool;
static struct tcache first, second;
static struct config config;

int backing_device_bytes(int ordinal, size_t *bytes)
{
	(void)ordinal;
	*bytes = (size_t)64 << 30;
	return 0;
}

size_t limit_get(enum limit limit)
{
	(void)limit;
	return 0;
}

bool capture_any(void)
{
	return false;
}

enum fence_level fence_level(void)
{
	return REUSE_FENCE;
}

static size_t room_most = SIZE_MAX;

size_t fence_room(const struct device *device)
{
	(void)device;
	return room_most;
}

void pass_through_settle(struct tcache *cache)
{
	(void)cache;
}

static void put(const struct block_list *list)
{
	const struct mnm_block_list idle = list_idle(list);

	ck_assert(pool->view.ops->free_batch(&pool->view, &idle));
}

static struct block_list take(struct pool *from,
			      const struct mnm_request *request, size_t most)
{
	return list_of_idle(
		from->view.ops->alloc_batch(&from->view, request, most));
}

static const struct tcache_source source = {put, take, idle_limit_idle_most,
					    idle_limit_lease};

static void enlist(struct tcache *cache)
{
	static _Atomic uint64_t safe = 1;

	cache->device = context.device;
	cache->context = &context;
	cache->pool = pool;
	cache->safe = &safe;
	cache->next = caches;
	caches = cache;
}

/* Makes two empty threads' caches of one context, with a page_unit_pool. */
static void prepare(void)
{
	static _Alignas(POOL_ALIGN) char memory[2048];
	struct mnm_pool_options options;

	pool = (struct pool *)memory;
	pool->view.ops = pool_ops_at(pool_row_find("page_unit_pool"));
	tcache_source = &source;
	tcaches_room_set(ROOM);
	config.page_size = SMALL;
	options = pool_options(&config);
	ck_assert(pool->view.ops->open(&pool->view, &options));
	context.device = context.heap.device = device_at(0);
	context.heap.context = &context;
	enlist(&first);
	enlist(&second);
	tcaches_lock();
	tcaches_recompute_rooms(&context);
	tcaches_unlock();
}

static struct block *freed(size_t span)
{
	struct block *block = block_new();

	block->span = span;
	block_owner_set(block, pool, 0);
	return block;
}

/* Frees so many blocks, and returns how many the cache keeps. The pool gets the
 * others. */
static int frees(struct tcache *cache, size_t span, int count)
{
	struct block *block;
	int kept = 0;

	cache->stats.frees += count;
	for (int i = 0; i < count; i++) {
		block = freed(span);
		if (tcache_put(cache, block, 0))
			kept++;
		else
			ck_assert(pool->view.ops->free(&pool->view,
						       &block->idle));
	}
	return kept;
}

/* Takes all blocks of a span out of the pool, and returns how many there
 * were. */
static int pooled(size_t span)
{
	const struct mnm_request request = {.span = span, .safe = 1};

	return (int)take(pool, &request, OFTEN).count;
}

static void refill(struct tcache *cache, size_t span)
{
	const struct mnm_request request = {.span = span, .safe = 1};

	tcache_refill(cache, &request);
}

/* A request of the other thread has found nothing in the pool. */
static bool raided(struct tcache *by, size_t span)
{
	const struct mnm_request request = {.span = span, .safe = 1};

	return tcaches_raid(&context.heap, by, &request, false);
}

/* Makes requests that find one block in the pool, until the cache keeps a freed
 * one. Returns how many. */
static int asks_until_kept(struct tcache *cache, size_t span)
{
	int asks = 0;

	while (asks < OFTEN && !frees(cache, span, 1)) {
		refill(cache, span);
		asks++;
	}
	return asks;
}

START_TEST(who_only_frees_keeps_nothing_that_another_has_wanted)
{
	prepare();
	ck_assert_int_eq(frees(&first, SPAN, 3), 3);
	ck_assert(raided(&second, SPAN));
	ck_assert_int_eq(pooled(SPAN), 3);
	ck_assert_int_eq(frees(&first, SPAN, OFTEN), 0);
	ck_assert_int_eq(pooled(SPAN), OFTEN);
	/* It keeps blocks of other spans. */
	ck_assert_int_eq(frees(&first, 2 * SPAN, 2), 2);
	ck_assert(!raided(&second, SPAN));
}
END_TEST

/* Frees a block in the order of a stream. */
static bool frees_in(struct tcache *cache, size_t span, unsigned int stream)
{
	cache->stats.frees++;
	return tcache_put(cache, freed(span), stream);
}

START_TEST(blocks_of_streams_are_kept_apart_and_found_by_all)
{
	struct mnm_request request = {.span = SPAN, .stream = 3};

	prepare();
	ck_assert(frees_in(&first, SPAN, 3));
	ck_assert(frees_in(&first, SPAN, 200));
	ck_assert(frees_in(&first, SPAN, 0));
	ck_assert_ptr_ne(magazine_find(&first, block_key(SPAN, 3)),
			 magazine_find(&first, block_key(SPAN, 200)));
	ck_assert(raided(&second, SPAN));
	ck_assert_ptr_null(magazine_find(&first, block_key(SPAN, 3)));
	ck_assert_int_eq(pooled(SPAN), 1);
	request.safe = 1;
	ck_assert_uint_eq(take(pool, &request, OFTEN).count, 1);
	request.stream = 200;
	ck_assert_uint_eq(take(pool, &request, OFTEN).count, 1);
	ck_assert(!raided(&second, SPAN));
}
END_TEST

START_TEST(who_asks_often_keeps_blocks_again)
{
	prepare();
	frees(&first, SPAN, 1);
	raided(&second, SPAN);
	ck_assert_int_eq(asks_until_kept(&first, SPAN), OWED);
	ck_assert(raided(&second, SPAN));
	ck_assert_int_eq(asks_until_kept(&first, SPAN), OWED);
}
END_TEST

/* Otherwise the two threads would take the one block from each other for
 * ever. */
START_TEST(who_asks_again_and_again_is_left_what_it_needs)
{
	int kept = 1;

	prepare();
	frees(&first, SPAN, 1);
	for (int i = 0; i < 2; i++) {
		ck_assert(raided(&second, SPAN));
		asks_until_kept(&first, SPAN);
	}
	for (int i = 0; i < 4; i++, kept *= 2) {
		/* These are kept beside what it took from the pool for its next
		 * requests. */
		frees(&first, SPAN, kept - 1 - kept / 2);
		ck_assert(!raided(&second, SPAN));
		frees(&first, SPAN, 1); /* this one is more than it needs */
		ck_assert(raided(&second, SPAN));
		asks_until_kept(&first, SPAN);
	}
}
END_TEST

START_TEST(who_sleeps_is_left_nothing)
{
	int looks = 0;

	prepare();
	frees(&first, SPAN, 1);
	for (int i = 0; i < 2; i++) {
		raided(&second, SPAN);
		asks_until_kept(&first, SPAN);
	}
	while (looks < OFTEN && !raided(&second, SPAN))
		looks++;
	ck_assert_int_ge(looks, 2);
	ck_assert_int_lt(looks, 100);
}
END_TEST

/* A thread that takes what another frees gets many blocks at a time. */
START_TEST(who_asks_and_is_not_raided_gets_as_many_as_before)
{
	int asks = 0;

	prepare();
	frees(&first, SPAN, 1);
	for (int i = 0; i < 3; i++) {
		raided(&second, SPAN);
		asks_until_kept(&first, SPAN);
	}
	tcache_empty(&first);
	for (; asks < OFTEN; asks++) {
		pooled(SPAN);
		for (int i = 0; i < 8; i++)
			ck_assert(pool->view.ops->free(&pool->view,
						       &freed(SPAN)->idle));
		refill(&first, SPAN);
		if (first.stats.idle.left == ROOM - 8 * SPAN)
			break;
		tcache_empty(&first);
		first.pool = pool;
	}
	ck_assert_int_gt(asks, 0);
	ck_assert_int_le(asks, 5 * OWED);
}
END_TEST

START_TEST(one_thread_is_raided_at_a_time)
{
	prepare();
	frees(&first, SPAN, 2);
	frees(&second, SPAN, 2);
	ck_assert(raided(NULL, SPAN));
	ck_assert_int_eq(pooled(SPAN), 2);
	ck_assert(raided(NULL, SPAN));
	ck_assert_int_eq(pooled(SPAN), 2);
	ck_assert(!raided(NULL, SPAN));
}
END_TEST

START_TEST(who_stays_alone_is_owed_nothing)
{
	prepare();
	frees(&first, SPAN, 1);
	raided(&second, SPAN);
	ck_assert_int_eq(frees(&first, SPAN, 1), 0);
	tcaches_lock();
	second.context = NULL;
	tcaches_recompute_rooms(&context);
	tcaches_unlock();
	ck_assert_int_eq(frees(&first, SPAN, OFTEN), OFTEN);
}
END_TEST

START_TEST(who_is_not_alone_any_more_keeps_what_it_has_room_for)
{
	prepare();
	second.context = NULL;
	tcaches_lock();
	tcaches_recompute_rooms(&context);
	ck_assert_int_eq(frees(&first, SPAN, 40), 40);
	ck_assert_int_eq(frees(&first, SMALL, 100), 100);
	second.context = &context;
	tcaches_recompute_rooms(&context);
	tcaches_unlock();
	ck_assert_int_ge(first.stats.idle.left, 0);
	ck_assert_int_eq(pooled(SPAN), 40); /* the largest blocks went */
	ck_assert_int_eq(pooled(SMALL), 0);
}
END_TEST

START_TEST(room_that_holds_what_is_not_asked_for_comes_back)
{
	int refused = 0;

	prepare();
	for (int i = 1; i <= 5; i++)
		ck_assert_int_eq(frees(&first, (size_t)i * SPAN, 1), 1);
	while (refused < OFTEN && !frees(&first, 3 * SPAN + SMALL, 1))
		refused++;
	ck_assert_int_gt(refused, 0);
	ck_assert_int_le(refused, 100);
	ck_assert_int_ge(first.stats.idle.left, ROOM / 2 - 4 * SPAN);
}
END_TEST

/* The same for a thread that only makes requests. */
START_TEST(room_for_what_is_asked_comes_back)
{
	int asks = 0;

	prepare();
	ck_assert_int_eq(frees(&first, 8 * SPAN, 2), 2);
	ck_assert(pool->view.ops->free(&pool->view, &freed(SPAN)->idle));
	for (; asks < OFTEN && first.stats.idle.left < ROOM / 2; asks++)
		refill(&first, SPAN);
	ck_assert_int_gt(asks, 0);
	ck_assert_int_le(asks, 100);
	refill(&first, SPAN);
	ck_assert_int_eq(pooled(SPAN), 0);
}
END_TEST

/* Its record may serve another context next. */
START_TEST(a_cache_that_is_emptied_leaves_its_course)
{
	struct course course = {.unit = SPAN};

	prepare();
	tcache_course_hold(&first, &course);
	ck_assert_ptr_eq(course.holder, &first);
	tcache_course_join(&second, &course);
	tcache_empty(&second);
	ck_assert_ptr_null(second.course);
	ck_assert_ptr_eq(course.holder, &first);
	tcache_empty(&first);
	ck_assert_ptr_null(first.course);
	ck_assert_ptr_null(first.steps);
	ck_assert_ptr_null(course.holder);
}
END_TEST

int main(void)
{
	static const TTest *tests[13];

	tests[0] = who_only_frees_keeps_nothing_that_another_has_wanted;
	tests[1] = who_asks_often_keeps_blocks_again;
	tests[2] = who_asks_again_and_again_is_left_what_it_needs;
	tests[3] = who_sleeps_is_left_nothing;
	tests[4] = who_asks_and_is_not_raided_gets_as_many_as_before;
	tests[5] = one_thread_is_raided_at_a_time;
	tests[6] = who_stays_alone_is_owed_nothing;
	tests[7] = who_is_not_alone_any_more_keeps_what_it_has_room_for;
	tests[8] = room_that_holds_what_is_not_asked_for_comes_back;
	tests[9] = room_for_what_is_asked_comes_back;
	tests[10] = blocks_of_streams_are_kept_apart_and_found_by_all;
	tests[11] = a_cache_that_is_emptied_leaves_its_course;
	return tests_run("tcache_raid", tests);
}
