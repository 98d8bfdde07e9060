/* Calls of a pool that take no end. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "checked.h"
#include "checked/call.h"

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

/* The signal that the library takes, if the program has no use for any. */
static int leave_signal(void)
{
	return SIGRTMAX - 1;
}

static pthread_t caller;
static atomic_bool wanted, sent;

static void *sends(void *unused)
{
	while (!wanted)
		sched_yield();
	ck_assert(!pthread_kill(caller, leave_signal()));
	sent = true;
	return unused;
}

static size_t calm_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	enum { MORE = 1000 * 1000 };

	(void)pool, (void)slack;
	wanted = true;
	while (!sent)
		turns = turns + 1;
	for (int i = 0; i < MORE; i++)
		turns = turns + 1;
	return size;
}

static const struct mnm_pool_ops calm = {
	.name = "calm_pool",
	.size = sizeof(struct mnm_pool),
	.span = calm_span,
};

/* The signal for a call that took no end may come when that has ended. */
START_TEST(a_later_call_is_not_left)
{
	struct mnm_pool *pool = pool_open();
	struct mnm_pool *later = checked_opened(&calm, MNM_BACKING_NONE);
	pthread_t thread;

	caller = pthread_self();
	stuck = true;
	pool->ops->span(pool, UNIT, 0);
	faulted(pool, "took no end");
	ck_assert(!pthread_create(&thread, NULL, sends, NULL));
	ck_assert_uint_eq(later->ops->span(later, UNIT, 0), UNIT);
	ck_assert(!pthread_join(thread, NULL));
	ck_assert(!checked_is_off(later->ops));
}
END_TEST

static int64_t used_ms(void)
{
	struct timespec used;

	ck_assert(!clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used));
	return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* Takes most of the time that a call may take. */
static size_t long_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	int64_t end = used_ms() + CALL_MOST_MS * 3 / 4;

	(void)pool, (void)slack;
	while (used_ms() < end)
		for (int i = 0; i < 1000 * 1000; i++)
			turns = turns + 1;
	return size;
}

static const struct mnm_pool_ops lengthy = {
	.name = "lengthy_pool",
	.size = sizeof(struct mnm_pool),
	.span = long_span,
};

START_TEST(each_call_has_its_own_time)
{
	struct mnm_pool *pool;

	pool_calls_watch();
	pool = checked_opened(&lengthy, MNM_BACKING_NONE);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(pool->ops->span(pool, UNIT, 0), UNIT);
	ck_assert(!checked_is_off(pool->ops));
}
END_TEST

#ifdef __x86_64__
/* Stands for a library's function: it returns once *flag is 0. */
static const unsigned char waits_code[] = {
	0x8b, 0x07, /* mov (%rdi),%eax */
	0x85, 0xc0, /* test %eax,%eax */
	0x75, 0xfa, /* jne to the first */
	0xc3,       /* ret */
};
static void (*waits)(atomic_int *flag);
static atomic_int flag = 1;

static void waits_make(void)
{
	void *page = mmap(NULL, sizeof(waits_code), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(page, MAP_FAILED);
	memcpy(page, waits_code, sizeof(waits_code));
	ck_assert(!mprotect(page, sizeof(waits_code), PROT_READ | PROT_EXEC));
	waits = (void (*)(atomic_int *))page;
}

static size_t outer_span(const struct mnm_pool *pool, size_t size, size_t slack)
{
	(void)pool, (void)slack;
	waits(&flag);
	return size;
}

static const struct mnm_pool_ops outer = {
	.name = "outer_pool",
	.size = sizeof(struct mnm_pool),
	.span = outer_span,
};

static void *lets_go(void *unused)
{
	while (!lines)
		usleep(1000);
	flag = 0;
	return unused;
}

/* It may hold a lock there. */
START_TEST(a_call_is_not_left_in_a_function_of_another_library)
{
	struct mnm_pool *pool;
	pthread_t thread;

	pool_calls_watch();
	waits_make();
	pool = checked_opened(&outer, MNM_BACKING_NONE);
	ck_assert(!pthread_create(&thread, NULL, lets_go, NULL));
	ck_assert_uint_eq(pool->ops->span(pool, UNIT, 0), UNIT);
	ck_assert(!pthread_join(thread, NULL));
	ck_assert(!checked_is_off(pool->ops));
	ck_assert_int_eq(lines, 1);
	ck_assert_ptr_nonnull(strstr(said, "can't be left"));
}
END_TEST
#endif

static void asks_stuck_at_its_end(void *arg)
{
	stuck = true;
	ck_assert_uint_eq((size_t)asks(arg), UNIT);
}

static pthread_key_t last; /* its destructor runs after the library's */

static void *asks_then_ends(void *arg)
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

	ck_assert(!pthread_key_create(&last, asks_stuck_at_its_end));
	ck_assert(!pthread_create(&thread, NULL, asks_then_ends, pool));
	ck_assert(!pthread_join(thread, NULL));
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
		a_later_call_is_not_left,
		each_call_has_its_own_time,
#ifdef __x86_64__
		a_call_is_not_left_in_a_function_of_another_library,
#endif
		a_call_of_a_thread_that_ends_is_left,
		NULL};

	return tests_run("checked_calls", tests);
}
