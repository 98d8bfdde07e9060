/* Whom a pool gives memory that was freed in a stream: streams that are ordered
 * behind the free. The streams are held by a host function, so a claim that
 * waits for one does not end. */
#include "claims.h"
#include "pools.h"

#include <sched.h>
#include <stdbool.h>

static CUstream first, second;

/* Two streams that no other orders with, of which the first is held. */
static void streams_open(void)
{
	first = claims_stream(CU_STREAM_NON_BLOCKING);
	second = claims_stream(CU_STREAM_NON_BLOCKING);
	claims_hold(first);
}

static void order(CUstream before, CUstream after)
{
	CUevent event = claims_event();

	ck_assert_ok(cuEventRecord(event, before));
	ck_assert_ok(cuStreamWaitEvent(after, event, 0));
	ck_assert_ok(cuEventDestroy(event));
}

static void all_end(void)
{
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
}

static bool are_apart(CUdeviceptr one, CUdeviceptr other)
{
	return one + POOL_BLOCK <= other || other + POOL_BLOCK <= one;
}

/* A block that is used in the first stream and freed there. */
static CUdeviceptr freed_block(CUmemoryPool pool)
{
	CUdeviceptr ptr = pool_block(pool, first);

	ck_assert_ok(cuMemsetD8Async(ptr, 1, POOL_BLOCK, first));
	ck_assert_ok(cuMemFreeAsync(ptr, first));
	return ptr;
}

static void check_no_growth(CUmemoryPool pool, CUstream stream)
{
	cuuint64_t reserved = pool_reserved(pool);
	CUdeviceptr ptr = pool_block(pool, stream);

	ck_assert_uint_eq(pool_reserved(pool), reserved);
	ck_assert_ok(cuMemsetD8Async(ptr, 2, POOL_BLOCK, stream));
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
}

START_TEST(a_stream_has_back_at_once_what_it_freed)
{
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 0, 0, 0);
	streams_open();
	freed_block(pool);
	for (int i = 0; i < 8; i++)
		check_no_growth(pool, first);
	all_end();
}
END_TEST

START_TEST(a_stream_that_is_not_ordered_gets_other_memory)
{
	CUdeviceptr former, ptr;
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 1, 1, 0);
	streams_open();
	former = freed_block(pool);
	ptr = pool_block(pool, second);
	ck_assert(are_apart(former, ptr));
	ck_assert_ok(cuMemsetD8Async(ptr, 2, POOL_BLOCK, second));
	ck_assert_ok(cuStreamSynchronize(second));
	all_end();
}
END_TEST

START_TEST(an_event_orders_a_stream_behind_a_free)
{
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 1, 0, 0);
	streams_open();
	freed_block(pool);
	order(first, second);
	check_no_growth(pool, second);
	all_end();
}
END_TEST

START_TEST(an_event_before_the_free_orders_nothing)
{
	CUdeviceptr former;
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 1, 0, 0);
	streams_open();
	former = pool_block(pool, first);
	order(first, second);
	ck_assert_ok(cuMemFreeAsync(former, first));
	ck_assert(are_apart(former, pool_block(pool, second)));
	all_end();
}
END_TEST

START_TEST(events_are_not_followed_where_that_is_off)
{
	CUmemoryPool pool;
	CUdeviceptr former;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 0, 0, 0);
	streams_open();
	former = freed_block(pool);
	order(first, second);
	ck_assert(are_apart(former, pool_block(pool, second)));
	all_end();
}
END_TEST

START_TEST(events_order_through_a_third_stream)
{
	CUmemoryPool pool;
	CUstream third;

	claims_open();
	third = claims_stream(CU_STREAM_NON_BLOCKING);
	pool = pool_new(0);
	pool_allow(pool, 1, 0, 0);
	streams_open();
	freed_block(pool);
	order(first, third);
	order(third, second);
	check_no_growth(pool, second);
	all_end();
}
END_TEST

START_TEST(a_free_in_another_stream_counts_as_that_streams)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 0, 0, 0);
	streams_open();
	ptr = pool_block(pool, first);
	ck_assert_ok(cuMemsetD8Async(ptr, 1, POOL_BLOCK, first));
	order(first, second);
	ck_assert_ok(cuMemFreeAsync(ptr, second));
	check_no_growth(pool, second);
	ck_assert(are_apart(ptr, pool_block(pool, first)));
	all_end();
}
END_TEST

START_TEST(the_null_stream_orders_too)
{
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 1, 0, 0);
	first = claims_stream(CU_STREAM_DEFAULT);
	second = claims_stream(CU_STREAM_DEFAULT);
	claims_hold(first);
	freed_block(pool);
	check_no_growth(pool, CU_STREAM_LEGACY);
	check_no_growth(pool, second);
	all_end();
}
END_TEST

START_TEST(the_null_stream_does_not_order_non_blocking_streams)
{
	CUmemoryPool pool;
	CUdeviceptr former;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 1, 0, 0);
	streams_open();
	former = freed_block(pool);
	ck_assert(are_apart(former, pool_block(pool, CU_STREAM_LEGACY)));
	all_end();
}
END_TEST

START_TEST(a_threads_own_stream_is_not_the_null_stream)
{
	CUdeviceptr former;
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 0, 0, 0);
	second = claims_stream(CU_STREAM_NON_BLOCKING);
	first = CU_STREAM_PER_THREAD;
	claims_hold(first);
	former = freed_block(pool);
	check_no_growth(pool, first);
	ck_assert(are_apart(former, pool_block(pool, CU_STREAM_LEGACY)));
	ck_assert(are_apart(former, pool_block(pool, second)));
	all_end();
}
END_TEST

START_TEST(what_the_host_waited_for_serves_every_stream)
{
	CUmemoryPool pool;

	claims_open();
	pool = pool_keeping();
	pool_allow(pool, 0, 0, 0);
	streams_open();
	freed_block(pool);
	all_end();
	check_no_growth(pool, second);
	ck_assert_ok(cuStreamSynchronize(second));
	check_no_growth(pool, first);
	ck_assert_ok(cuStreamSynchronize(first));
}
END_TEST

/* No call waits, though there is memory only after a wait. */
START_TEST(a_pool_that_is_short_serves_after_a_wait)
{
	CUdeviceptr ptr = 1;
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(POOL_BLOCK);
	pool_allow(pool, 1, 1, 0);
	streams_open();
	freed_block(pool);
	ck_assert_cu(cuMemAllocFromPoolAsync(&ptr, POOL_BLOCK, pool, second),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(first));
	ptr = pool_block(pool, second);
	ck_assert_ok(cuMemFreeAsync(ptr, second));
	ck_assert_ok(cuStreamSynchronize(second));
}
END_TEST

/* The pool may make the stream wait instead. If it did not, the stream would be
 * through with so little work soon. */
START_TEST(a_pool_that_is_short_does_not_make_the_host_wait)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	CUresult res;

	claims_open();
	pool = pool_new(POOL_BLOCK);
	streams_open();
	freed_block(pool);
	res = cuMemAllocFromPoolAsync(&ptr, POOL_BLOCK, pool, second);
	ck_assert(!res || res == CUDA_ERROR_OUT_OF_MEMORY);
	if (!res)
		ck_assert_ok(cuMemsetD8Async(ptr, 2, 1, second));
	for (int i = 0; !res && i < 1000; i++) {
		ck_assert_cu(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
		sched_yield();
	}
	all_end();
}
END_TEST

START_TEST(a_free_by_the_host_does_not_wait)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_keeping();
	streams_open();
	ptr = pool_block(pool, second);
	ck_assert_ok(cuMemsetD8Async(ptr, 1, POOL_BLOCK, second));
	ck_assert_ok(cuStreamSynchronize(second));
	ck_assert_ok(cuMemFree(ptr));
	all_end();
}
END_TEST

START_TEST(a_block_outlives_its_stream)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_new(0);
	streams_open();
	claims_release();
	ptr = pool_block(pool, first);
	ck_assert_ok(cuMemsetD8Async(ptr, 1, POOL_BLOCK, first));
	ck_assert_ok(cuStreamSynchronize(first));
	ck_assert_ok(cuStreamDestroy(first));
	ck_assert_ok(cuMemsetD8Async(ptr, 2, POOL_BLOCK, second));
	ck_assert_ok(cuMemFreeAsync(ptr, second));
	ck_assert_ok(cuStreamSynchronize(second));
	ck_assert_uint_eq(pool_used(pool), 0);
}
END_TEST

START_TEST(a_block_outlives_the_context_of_its_stream)
{
	CUmemoryPool pool;
	CUcontext mine = claims_open(), theirs;
	CUdeviceptr ptr;

	pool = pool_new(0);
	ck_assert_ok(cuCtxCreate(&theirs, NULL, 0, 0));
	ptr = pool_block(pool, claims_stream(CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuCtxDestroy(theirs));
	ck_assert_ok(cuCtxSetCurrent(mine));
	ck_assert_uint_ge(pool_used(pool), POOL_BLOCK);
	ck_assert_ok(cuMemsetD8(ptr, 1, POOL_BLOCK));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(pool_used(pool), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_stream_has_back_at_once_what_it_freed,
		a_stream_that_is_not_ordered_gets_other_memory,
		an_event_orders_a_stream_behind_a_free,
		an_event_before_the_free_orders_nothing,
		events_are_not_followed_where_that_is_off,
		events_order_through_a_third_stream,
		a_free_in_another_stream_counts_as_that_streams,
		the_null_stream_orders_too,
		the_null_stream_does_not_order_non_blocking_streams,
		a_threads_own_stream_is_not_the_null_stream,
		what_the_host_waited_for_serves_every_stream,
		a_pool_that_is_short_serves_after_a_wait,
		a_pool_that_is_short_does_not_make_the_host_wait,
		a_free_by_the_host_does_not_wait,
		a_block_outlives_its_stream,
		a_block_outlives_the_context_of_its_stream,
		NULL,
	};

	return claims_run("pool_order", tests);
}
