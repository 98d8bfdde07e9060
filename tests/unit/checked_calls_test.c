/* Calls of a pool that take no end. */
#include <pthread.h>

#include "checked.h"

enum { UNIT = 4096 };

static volatile bool stuck; /* whether the next call takes no end */
static volatile unsigned long turns;

static void loop(void)
{
	while (stuck)
		turns = turns + 1;
}

static size_t slow_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	(void)pool, (void)slack;
	loop();
	return size;
}

static enum mnm_answer slow_alloc(struct mnm_pool *pool,
				  const struct mnm_request *request,
				  struct mnm_block **block)
{
	(void)pool, (void)request, (void)block;
	loop();
	return MNM_MISS;
}

static bool slow_free(struct mnm_pool *pool, struct mnm_block *block)
{
	(void)pool, (void)block;
	loop();
	return true;
}

static struct mnm_block *slow_trim(struct mnm_pool *pool, size_t bytes)
{
	(void)pool, (void)bytes;
	loop();
	return NULL;
}

static const struct mnm_pool_ops slow = {
	.name = "slow_pool",
	.size = sizeof(struct mnm_pool),
	.span = slow_span,
	.alloc = slow_alloc,
	.free = slow_free,
	.trim = slow_trim,
};

static struct mnm_pool *pool_open(void)
{
	pool_calls_watch();
	return checked_opened(&slow, MNM_BACKING_NONE);
}

START_TEST(a_request_that_takes_no_end_is_left)
{
	const struct mnm_request request = {.span = UNIT, .safe = 1};
	struct mnm_pool *pool = pool_open();
	struct mnm_block *block;

	stuck = true;
	ck_assert_int_eq(pool->ops->alloc(pool, &request, &block), MNM_MISS);
	faulted(pool, "took no end");
	ck_assert_int_eq(pool->ops->alloc(pool, &request, &block), MNM_MISS);
}
END_TEST

START_TEST(a_free_that_takes_no_end_is_left_and_the_block_goes_back)
{
	struct mnm_block block = {.span = UNIT, .epoch = 1};
	struct mnm_pool *pool = pool_open();

	stuck = true;
	ck_assert(pool->ops->free(pool, &block));
	faulted(pool, "took no end");
	ck_assert_ptr_eq(pool->ops->trim(pool, 1), &block);
}
END_TEST

START_TEST(a_trim_that_takes_no_end_is_left_and_gives_all)
{
	struct mnm_block block = {.span = UNIT, .epoch = 1};
	struct mnm_pool *pool = pool_open();

	ck_assert(pool->ops->free(pool, &block));
	stuck = true;
	ck_assert_ptr_eq(pool->ops->trim(pool, 1), &block);
	faulted(pool, "took no end");
}
END_TEST

static void *asks(void *arg)
{
	struct mnm_pool *pool = arg;

	return (void *)pool->ops->span(pool, UNIT, 0);
}

/* A thread's record serves the next thread as well. */
START_TEST(a_call_of_any_thread_is_left)
{
	struct mnm_pool *pool = pool_open();
	pthread_t thread;
	void *span;

	for (int i = 0; i < 3; i++) {
		stuck = i == 2;
		ck_assert(!pthread_create(&thread, NULL, asks, pool));
		ck_assert(!pthread_join(thread, &span));
		ck_assert_uint_eq((size_t)span, UNIT);
	}
	faulted(pool, "took no end");
}
END_TEST

static void asks_at_its_end(void *arg)
{
	stuck = true;
	ck_assert_uint_eq((size_t)asks(arg), UNIT);
}

static pthread_key_t last; /* its destructor runs after the library's */

static void *asks_and_ends(void *arg)
{
	asks(arg);
	ck_assert(!pthread_setspecific(last, arg));
	return NULL;
}

/* A library's destructor may free memory after the thread's record has gone to
 * other threads. */
START_TEST(a_call_of_a_thread_that_ends_is_left)
{
	struct mnm_pool *pool = pool_open();
	pthread_t thread;

	ck_assert(!pthread_key_create(&last, asks_at_its_end));
	ck_assert(!pthread_create(&thread, NULL, asks_and_ends, pool));
	ck_assert(!pthread_join(thread, NULL));
	faulted(pool, "took no end");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_request_that_takes_no_end_is_left,
		a_free_that_takes_no_end_is_left_and_the_block_goes_back,
		a_trim_that_takes_no_end_is_left_and_gives_all,
		a_call_of_any_thread_is_left,
		a_call_of_a_thread_that_ends_is_left,
		NULL};

	return tests_run("checked_calls", tests);
}
