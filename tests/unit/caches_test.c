/* The records of threads' caches, and the figures in them. */
#include <pthread.h>

#include "tcache/tcaches.h"
#include "cuda/backing.h"
#include "heap/idle_limit.h"
#include "order/capture.h"
#include "tcache/fast.h"
#include "order/fence.h"
#include "heap/limit.h"
#include "run.h"
#include "stats/counter.h"

enum { THREADS = 50, SIZE = 4096, REQUESTS = 1000 };

static struct context context;
static __thread unsigned int locks; /* how many the thread has taken */
static pthread_barrier_t all;

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

size_t fence_room(const struct device *device)
{
	(void)device;
	return SIZE_MAX;
}

/* There are no blocks in this test. */
void tcache_shed(struct tcache *cache)
{
	(void)cache;
}

void tcache_settle(struct tcache *cache)
{
	(void)cache;
}

void tcache_pardon(struct tcache *cache)
{
	(void)cache;
}

void tcache_empty(struct tcache *cache)
{
	cache->pool = NULL;
}

static size_t records(void)
{
	size_t count = 0;

	for (struct tcache *at = caches; at; at = at->next)
		count++;
	return count;
}

/* Called instead of pthread_mutex_lock, see tests/unit.mk. */
int __real_pthread_mutex_lock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock);

int __wrap_pthread_mutex_lock(pthread_mutex_t *lock)
{
	locks++;
	return __real_pthread_mutex_lock(lock);
}

static const struct tcache_source source = {.idle_most = idle_limit_idle_most};

static struct device *prepare(int ordinal)
{
	context.device = context.heap.device = device_at(ordinal);
	context.heap.context = &context;
	pthread_mutex_init(&context.lock, NULL);
	tcaches_room_set(1 << 20);
	tcaches_open(&source);
	return context.device;
}

/* A closed cache shows nothing of its pool: neither a unit nor classes. */
START_TEST(a_closed_cache_serves_nothing)
{
	static struct pool linear = {.view.classes = {.unit = 4096}};
	static struct pool divided = {
		.view.classes = {.unit = 4096, .divisions = 8}};
	static struct pool bounded = {
		.view.classes = {.unit = 4096, .coarse = 1 << 20}};
	static struct tcache one;
	struct tcache *cache = &one;

	tcache_serve(cache, &linear);
	ck_assert_uint_eq(cache->unit, 4096);
	ck_assert_ptr_null(cache->divided);
	tcache_serve(cache, &divided);
	ck_assert_uint_eq(cache->unit, 0);
	ck_assert_ptr_eq(cache->divided, &divided.view.classes);
	tcache_serve(cache, &bounded);
	ck_assert_uint_eq(cache->unit, 0);
	ck_assert_ptr_eq(cache->divided, &bounded.view.classes);
	tcache_close(cache, CLOSED_OTHER);
	ck_assert_ptr_null(cache->divided);
	ck_assert_ptr_eq(cache->table, &block_table_none);
	tcache_open(cache, CLOSED_OTHER);
	ck_assert_ptr_eq(cache->divided, &bounded.view.classes);
	tcache_serve(cache, &linear);
	tcache_close(cache, CLOSED_OTHER);
	ck_assert_uint_eq(cache->unit, 0);
}
END_TEST

/* Makes ten requests, and frees all but the last. */
static void *ten_requests(void *unused)
{
	tcache_attach(&context);
	for (int i = 0; i < 10; i++)
		device_count_alloc(context.device, SIZE, COUNTER_hits);
	for (int i = 0; i < 9; i++)
		device_count_free(context.device, SIZE);
	pthread_barrier_wait(&all);
	return unused;
}

static void threads_run(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&all, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		ck_assert(
			!pthread_create(&threads[i], NULL, ten_requests, NULL));
	for (int i = 0; i < THREADS; i++)
		ck_assert(!pthread_join(threads[i], NULL));
	pthread_barrier_destroy(&all);
}

START_TEST(threads_that_have_ended_leave_figures_and_nothing_to_walk)
{
	struct device *device = prepare(0);

	for (uint64_t turn = 1; turn <= 2; turn++) {
		threads_run();
		ck_assert_uint_eq(records(), 0);
		ck_assert_uint_eq(counter_get(device, COUNTER_hits),
				  turn * THREADS * 10);
		ck_assert_uint_eq(counter_get(device, COUNTER_frees),
				  turn * THREADS * 9);
		ck_assert_uint_eq(counter_get(device, COUNTER_live_bytes),
				  turn * THREADS * SIZE);
		ck_assert_uint_ge(counter_get(device, COUNTER_live_peak),
				  turn * THREADS * SIZE);
	}
}
END_TEST

static void *device_of_cache(void *unused)
{
	(void)unused;
	return tcache_attach(&context)->device;
}

START_TEST(a_record_serves_a_thread_of_another_device)
{
	pthread_t thread;
	void *of;

	for (int ordinal = 0; ordinal < 3; ordinal++) {
		prepare(ordinal);
		ck_assert(
			!pthread_create(&thread, NULL, device_of_cache, NULL));
		ck_assert(!pthread_join(thread, &of));
		ck_assert_ptr_eq(of, device_at(ordinal));
		ck_assert_uint_eq(records(), 0);
	}
}
END_TEST

START_TEST(what_a_thread_counts_needs_no_lock_but_for_a_sync)
{
	struct device *device = prepare(1);
	uint64_t live, hits;
	unsigned int taken;

	tcache_attach(&context);
	device_count_alloc(device, SIZE, COUNTER_hits); /* sets the peak */
	device_count_free(device, SIZE);
	thread_stats_sync(&tcache_current->stats);
	locks = 0;
	for (int i = 0; i < LOOK_EVERY - 1; i++) {
		device_count_alloc(device, SIZE, COUNTER_hits);
		device_count_free(device, SIZE);
	}
	live = counter_approx(device, COUNTER_live_bytes);
	hits = counter_approx(device, COUNTER_hits);
	taken = locks;
	ck_assert_uint_eq(taken, 0);
	ck_assert_uint_eq(live, 0);
	ck_assert_uint_eq(hits, LOOK_EVERY);
	locks = 0;
	hits = counter_get(device, COUNTER_allocs);
	taken = locks;
	ck_assert_uint_gt(taken, 0); /* shows that locks are counted */
	ck_assert_uint_eq(hits, LOOK_EVERY);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), SIZE);
}
END_TEST

/* This holds even if the thread has just looked, and may still make many
 * requests until it looks again. */
START_TEST(who_is_alone_looks_seldom_until_it_is_not)
{
	struct device *device = prepare(1);
	uint64_t before = counter_get(device, COUNTER_hits);
	pthread_t thread;
	void *of;

	tcache_attach(&context);
	thread_stats_sync(&tcache_current->stats);
	ck_assert_int_eq(tcache_current->stats.hits.left, LOOK_ALONE);
	device_count_alloc(device, SIZE, COUNTER_hits);
	ck_assert(!pthread_create(&thread, NULL, device_of_cache, NULL));
	ck_assert(!pthread_join(thread, &of));
	ck_assert_ptr_eq(of, device);
	ck_assert_int_eq(tcache_current->stats.hits.left, LOOK_EVERY);
	ck_assert_uint_eq(counter_get(device, COUNTER_hits), before + 1);
	device_count_free(device, SIZE);
}
END_TEST

START_TEST(one_of_several_looks_often)
{
	struct device *device = prepare(1);

	tcache_attach(&context);
	thread_stats_alone(&tcache_current->stats, false);
	thread_stats_sync(&tcache_current->stats);
	ck_assert_int_eq(tcache_current->stats.hits.left, LOOK_EVERY);
	thread_stats_alone(&tcache_current->stats, true);
	device->contexts = 2;
	thread_stats_sync(&tcache_current->stats);
	ck_assert_int_eq(tcache_current->stats.hits.left, LOOK_EVERY);
	device->contexts = 1;
	thread_stats_sync(&tcache_current->stats);
	ck_assert_int_eq(tcache_current->stats.hits.left, LOOK_ALONE);
}
END_TEST

/* Makes a cache of the context, for a thread that stays. */
static struct tcache *made(void)
{
	static struct tcache others[2];
	static size_t count;
	struct tcache *cache = &others[count++];

	tcaches_lock();
	cache->device = context.device;
	cache->next = caches;
	caches = cache;
	tcaches_unlock();
	thread_stats_open(&cache->stats, context.device);
	return cache;
}

START_TEST(others_figures_are_told_when_a_thread_looks_often_enough)
{
	struct device *device = prepare(2);
	struct tcache *other = made(), *third = made();

	tcache_attach(&context);
	for (uint64_t turn = 1; turn <= 3; turn++) {
		other->stats.frees = third->stats.frees =
			(int64_t)turn * REQUESTS;
		ck_assert_uint_eq(counter_get(device, COUNTER_frees),
				  2 * turn * REQUESTS);
		thread_stats_sync(&tcache_current->stats);
		ck_assert_uint_eq(counter_approx(device, COUNTER_frees),
				  2 * turn * REQUESTS);
		other->stats.frees++;
		for (int i = 0; i < 2; i++)
			thread_stats_sync(&tcache_current->stats);
		ck_assert_uint_eq(counter_approx(device, COUNTER_frees),
				  2 * turn * REQUESTS);
	}
}
END_TEST

START_TEST(a_new_peak_is_of_what_all_threads_have)
{
	struct device *device = prepare(2);
	struct tcache *other = made();

	tcache_attach(&context);
	device_count_alloc(device, 8 * SIZE, COUNTER_hits);
	thread_stats_sync(&tcache_current->stats);
	other->stats.live.left -= 4 * SIZE; /* has not published this */
	device_count_alloc(device, SIZE, COUNTER_hits);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 13 * SIZE);
	other->stats.live.left += 4 * SIZE;
	device_count_alloc(device, 4 * SIZE, COUNTER_hits);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 13 * SIZE);
	device_count_alloc(device, 1, COUNTER_hits);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak),
			  13 * SIZE + 1);
}
END_TEST

START_TEST(what_one_thread_frees_for_another_costs_few_looks)
{
	struct device *device = prepare(0);
	struct tcache *other = made();
	size_t looks = 0;
	uint64_t told;

	tcache_attach(&context);
	device_count_alloc(device, 256 * SIZE, COUNTER_misses);
	for (int i = 0; i < REQUESTS; i++) {
		told = tcache_current->stats.published.of[WORD_hits];
		device_count_alloc(device, SIZE, COUNTER_hits);
		looks += tcache_current->stats.published.of[WORD_hits] != told;
		other->stats.live.left += SIZE; /* it has freed this */
	}
	ck_assert_uint_ge(looks, REQUESTS / LOOK_EVERY);
	ck_assert_uint_le(looks, REQUESTS / 15);
	ck_assert_uint_le(counter_get(device, COUNTER_live_peak), 257 * SIZE);
	ck_assert_uint_ge(counter_get(device, COUNTER_live_peak), 256 * SIZE);
}
END_TEST

/* Neither thread has looked since it took them. */
START_TEST(a_peak_is_never_below_what_there_is)
{
	struct device *device = prepare(1);
	struct tcache *other = made();

	other->stats.reserved = 3 * SIZE;
	other->stats.live.left = -2 * SIZE;
	ck_assert_uint_eq(counter_get(device, COUNTER_reserved_peak), 3 * SIZE);
	ck_assert_uint_eq(counter_get(device, COUNTER_live_peak), 2 * SIZE);
}
END_TEST

START_TEST(caches_hold_no_more_than_may_be_idle)
{
	const struct idle_limit half = {IDLE_PERCENT, 50};
	struct device *device = prepare(7);

	idle_limit_set(&half);
	ck_assert_int_eq(tcache_attach(&context)->stats.idle.most, 0);
	ck_assert_int_eq(tcache_room(tcache_current), 0);
	device_count_alloc(device, 8 << 20, COUNTER_hits);
	ck_assert_int_eq(tcache_room(tcache_current), 4 << 20);
	context.caches = 8;
	ck_assert_int_eq(tcache_room(tcache_current), 512 << 10);
	context.caches = 1;
}
END_TEST

START_TEST(a_runtimes_requests_are_sure_once_it_is_known_to_bind)
{
	prepare(0);
	tcache_lookup_end(&context, true);
	tcache_attach(&context);
	ck_assert_ptr_ne(tcache_verified, &tcache_none);
	ck_assert_ptr_eq(tcache_runtime, &tcache_none);
	tcaches_bind();
	tcache_lookup_end(&context, false);
	ck_assert_ptr_eq(tcache_runtime, &tcache_none);
	tcache_lookup_end(&context, true);
	ck_assert_ptr_ne(tcache_runtime, &tcache_none);
	ck_assert_ptr_eq(tcache_runtime, tcache_verified);
}
END_TEST

START_TEST(a_cache_of_another_pool_remembers_no_stream)
{
	const uintptr_t stream = 256;
	struct pool pools[2] = {{.view.classes.unit = SIZE},
				{.view.classes.unit = SIZE}};
	struct tcache *cache;

	prepare(0);
	cache = tcache_attach(&context);
	tcaches_lock();
	tcache_serve(cache, &pools[0]);
	cache->way.key = cache->ways[1].key = stream;
	tcache_serve(cache, &pools[0]);
	ck_assert_uint_eq(cache->way.key, stream);
	tcache_serve(cache, &pools[1]);
	ck_assert_uint_eq(cache->way.key, WAY_NONE);
	ck_assert_uint_eq(cache->ways[1].key, WAY_NONE);
	tcache_serve(cache, NULL);
	tcaches_unlock();
}
END_TEST

/* The thread has a look before the one that ends the context has emptied its
 * cache, which shows the way along a plan of that context's. */
START_TEST(a_cache_on_a_course_is_not_another_contexts_yet)
{
	struct course course = {.unit = SIZE};
	struct context other;
	struct tcache *before, *after;

	prepare(3);
	other = context;
	pthread_mutex_init(&other.lock, NULL);
	other.heap.context = &other;
	before = tcache_attach(&context);
	tcache_course_hold(before, &course);
	ck_assert_ptr_eq(before->steps, &course);
	context.dead = true;
	tcaches_recompute(context.device);
	ck_assert_ptr_null(before->steps);
	tcache_invalidate();
	after = tcache_attach(&other);
	ck_assert_ptr_null(after->steps);
	ck_assert_ptr_null(before->steps);
	tcaches_course_close(&course);
	ck_assert_ptr_null(before->course);
	context.dead = false;
}
END_TEST

int main(void)
{
	static const TTest *tests[15];

	tests[0] = threads_that_have_ended_leave_figures_and_nothing_to_walk;
	tests[1] = a_record_serves_a_thread_of_another_device;
	tests[2] = what_a_thread_counts_needs_no_lock_but_for_a_sync;
	tests[3] = others_figures_are_told_when_a_thread_looks_often_enough;
	tests[4] = a_new_peak_is_of_what_all_threads_have;
	tests[5] = what_one_thread_frees_for_another_costs_few_looks;
	tests[6] = a_peak_is_never_below_what_there_is;
	tests[7] = a_runtimes_requests_are_sure_once_it_is_known_to_bind;
	tests[8] = caches_hold_no_more_than_may_be_idle;
	tests[9] = who_is_alone_looks_seldom_until_it_is_not;
	tests[10] = one_of_several_looks_often;
	tests[11] = a_cache_of_another_pool_remembers_no_stream;
	tests[12] = a_closed_cache_serves_nothing;
	tests[13] = a_cache_on_a_course_is_not_another_contexts_yet;
	return tests_run("caches", tests);
}
