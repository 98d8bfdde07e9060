/* A change of a device's pool while a heap gets its first request. */
#include <stdlib.h>

#include "heap/deferred_free.h"
#include "heap/idle_limit.h"
#include "heap/pages.h"
#include "heap/planner.h"
#include "heap/pools.h"
#include "heap/reclaim.h"
#include "heap/region_driver.h"
#include "heap/swap.h"
#include "run.h"
#include "tcache/tcache.h"

static const struct config config = {.page_size = 4096};
static struct context context;
static struct heap *const heap = &context.heap;
static int before, after; /* rows of the pools */
static int walks;         /* over the heaps, so far */
static bool scarce;       /* there is no memory for a record */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return scarce ? NULL : __real_calloc(count, size);
}

/* No pool here plans. */
void planner_look(struct pool *pool)
{
	(void)pool;
}

/* The heap's first request comes right after the first walk. */
void heaps_each(void (*visit)(struct heap *heap, void *arg), void *arg)
{
	visit(heap, arg);
	if (!walks++) {
		ck_assert_ptr_nonnull(pools_active(heap, &config));
		pool_checkout(heap->pools, config.page_size);
		scarce = true;
	}
}

/* There are no caches, nothing is given back, and nothing is learnt. */
void tcaches_flush(struct heap *of)
{
	(void)of;
}

struct tcache *tcache_of(const struct heap *of)
{
	(void)of;
	return NULL;
}

void tcache_course_join(struct tcache *cache, struct course *course)
{
	(void)cache;
	(void)course;
}

void tcache_course_hold(struct tcache *cache, struct course *course)
{
	(void)cache;
	(void)course;
}

void tcaches_course_recall(struct course *course)
{
	(void)course;
}

void tcaches_course_close(struct course *course)
{
	(void)course;
}

void tcaches_flush_largest(struct heap *of, size_t bytes)
{
	(void)of, (void)bytes;
}

void reclaim_request(struct device *device)
{
	(void)device;
}

void region_lose(const struct block *record)
{
	(void)record;
}

void pages_lose(struct pages *pages)
{
	(void)pages;
}

void pages_reap(void)
{
}

void deferred_free_forget(struct context *of)
{
	(void)of;
}

void idle_limit_set(const struct idle_limit *limit)
{
	(void)limit;
}

size_t idle_limit_past(const struct device *device)
{
	(void)device;
	return 0;
}

size_t idle_limit_idle_most(const struct device *device)
{
	(void)device;
	return SIZE_MAX;
}

void idle_limit_reset(struct device *device)
{
	(void)device;
}

void idle_limit_shed(struct device *device, size_t span)
{
	(void)device, (void)span;
}

void idle_limit_checkin(struct device *device, size_t span, size_t given)
{
	(void)device, (void)span, (void)given;
}

static struct device *prepare(void)
{
	struct device *device = device_at(0);

	after = 1;
	device->choice = before;
	*heap = (struct heap){.context = &context, .device = device};
	return device;
}

START_TEST(a_swap_that_lacks_memory_half_way_is_one_all_the_same)
{
	struct device *device = prepare();
	struct swap_report report;
	struct pool *old;

	ck_assert(device_swap(device, after, &config, &report));
	ck_assert_int_eq(report.before, before);
	ck_assert_int_eq(report.after, after);
	ck_assert_uint_eq(report.retired_bytes, config.page_size);
	old = heap->pools;
	ck_assert_ptr_null(pools_active(heap, &config)); /* CUDA serves */
	scarce = false;
	ck_assert_ptr_eq(pools_active(heap, &config)->view.ops,
			 pool_ops_at(after));
	pool_checkin(old, config.page_size); /* the last of its blocks */
	ck_assert_ptr_null(heap->pools->next);
}
END_TEST

/* The options are read before the first request, perhaps inside the loader,
 * whose lock a thread may want that holds the heaps'. */
START_TEST(a_limit_looks_at_no_heap_before_the_first_request)
{
	static const struct idle_limit off = {IDLE_OFF, 0};
	struct device *device = prepare();

	devices_limit(&off);
	ck_assert_int_eq(walks, 0);
	device->used = true;
	devices_limit(&off);
	ck_assert_int_eq(walks, 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_swap_that_lacks_memory_half_way_is_one_all_the_same,
		a_limit_looks_at_no_heap_before_the_first_request,
		NULL,
	};

	return tests_run("swap", tests);
}
