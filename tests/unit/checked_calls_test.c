/* Calls of a pool that take no end. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "checked.h"

enum { UNIT = 4096, MEETS = 5000, WAITS = 6000 };

static volatile bool stuck; /* whether the next call takes no end */
static volatile unsigned long turns;

static void loop(void)
{
	errno = ERANGE;
	while (stuck)
		turns = turns + 1;
}

static int line_pipe[2]; /* a call of WAITS bytes waits for a line */

static void line_pass(void)
{
	ck_assert_int_eq(write(line_pipe[1], "", 1), 1);
}

static pthread_barrier_t inside, outside; /* of a call of MEETS bytes */

static size_t slow_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	char byte;

	(void)pool, (void)slack;
	loop();
	if (size == WAITS)
		ck_assert_int_eq(read(line_pipe[0], &byte, 1), 1);
	if (size == MEETS) {
		pthread_barrier_wait(&inside);
		pthread_barrier_wait(&outside);
	}
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

static void *trims_all_blocked(void *arg)
{
	struct mnm_pool *pool = arg;
	sigset_t all, after;
	void *list;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	list = pool->ops->trim(pool, 1);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		ck_assert(sigismember(&after, number));
	return list;
}

/* As our own threads do. The mask is what it was. */
START_TEST(a_call_of_a_thread_that_blocks_all_signals_is_left)
{
	struct mnm_block block = {.span = UNIT, .epoch = 1};
	struct mnm_pool *pool = pool_open();
	pthread_t thread;
	void *list;

	ck_assert(pool->ops->free(pool, &block));
	stuck = true;
	ck_assert(!pthread_create(&thread, NULL, trims_all_blocked, pool));
	ck_assert(!pthread_join(thread, &list));
	ck_assert_ptr_eq(list, &block);
	faulted(pool, "took no end");
}
END_TEST

START_TEST(a_call_that_waits_is_told_and_goes_on)
{
	struct mnm_pool *pool = pool_open();

	heard = line_pass;
	ck_assert(!pipe(line_pipe));
	ck_assert_uint_eq(pool->ops->span(pool, WAITS, 0), WAITS);
	ck_assert(!checked_is_off(pool->ops));
	ck_assert_int_eq(lines, 1);
	ck_assert(strstr(said, "a call of pool slow_pool waits"));
}
END_TEST

START_TEST(errno_stays_the_callers)
{
	const struct mnm_request request = {.span = UNIT, .safe = 1};
	struct mnm_block block = {.span = UNIT, .epoch = 1}, *found;
	struct mnm_pool *pool = pool_open();

	errno = EXDEV;
	pool->ops->span(pool, UNIT, 0);
	ck_assert_int_eq(errno, EXDEV);
	pool->ops->alloc(pool, &request, &found);
	ck_assert_int_eq(errno, EXDEV);
	pool->ops->free(pool, &block);
	ck_assert_int_eq(errno, EXDEV);
	pool->ops->trim(pool, 1);
	ck_assert_int_eq(errno, EXDEV);
}
END_TEST

static int errno_after; /* the call of the thread that meets another */

static void *meets(void *arg)
{
	struct mnm_pool *pool = arg;

	errno = EXDEV;
	pool->ops->span(pool, MEETS, 0);
	errno_after = errno;
	return NULL;
}

/* While another thread, which is new, is in a call. */
static void asks_at_its_end(void *arg)
{
	pthread_t thread;

	ck_assert(!pthread_create(&thread, NULL, meets, arg));
	pthread_barrier_wait(&inside);
	errno = EDOM;
	asks(arg);
	pthread_barrier_wait(&outside);
	ck_assert(!pthread_join(thread, NULL));
}

static pthread_key_t ends;

static void *asks_and_ends(void *arg)
{
	pthread_setspecific(ends, arg);
	return asks(arg);
}

/* A thread's caches go to their pools after its record is free for others. */
START_TEST(a_thread_that_ends_does_not_use_the_record_of_another)
{
	struct mnm_pool *pool = pool_open();
	pthread_t thread;

	pthread_barrier_init(&inside, NULL, 2);
	pthread_barrier_init(&outside, NULL, 2);
	ck_assert(!pthread_key_create(&ends, asks_at_its_end));
	ck_assert(!pthread_create(&thread, NULL, asks_and_ends, pool));
	ck_assert(!pthread_join(thread, NULL));
	ck_assert_int_eq(errno_after, EXDEV);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_request_that_takes_no_end_is_left,
		a_free_that_takes_no_end_is_left_and_the_block_goes_back,
		a_trim_that_takes_no_end_is_left_and_gives_all,
		a_call_of_any_thread_is_left,
		a_call_of_a_thread_that_blocks_all_signals_is_left,
		a_call_that_waits_is_told_and_goes_on,
		errno_stays_the_callers,
		a_thread_that_ends_does_not_use_the_record_of_another,
		NULL};

	return tests_run("checked_calls", tests);
}
