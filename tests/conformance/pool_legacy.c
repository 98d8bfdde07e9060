/* Requests and frees in streams that order with the legacy stream. A free is
 * work there like any other. A request need not be: it holds up nobody as long
 * as its memory is nobody else's. But what is queued behind it is in order, and
 * memory that it has from a free is not used before that. Streams are held by a
 * host function, so a claim that waits for one does not end. */
#include "claims.h"
#include "pools.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static CUmemoryPool pool;
static CUmemoryPool other_pool;
static CUdeviceptr used; /* by a stream that is asked whether it is ready */

static void pool_open(void)
{
	claims_open();
	pool = pool_new(0);
	pool_allow(pool, 1, 0, 0);
	other_pool = pool_new(0);
	ck_assert_ok(cuMemAlloc(&used, 1));
}

static CUstream blocking(void)
{
	return claims_stream(CU_STREAM_DEFAULT);
}

static CUstream non_blocking(void)
{
	return claims_stream(CU_STREAM_NON_BLOCKING);
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

/* If nothing held up the stream, it would be through with so little soon. */
static void check_is_held(CUstream stream)
{
	for (int i = 0; i < 1000; i++) {
		ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
		sched_yield();
	}
}

/* Work that uses the block. */
static void check_block_is_held(CUdeviceptr block, CUstream stream)
{
	ck_assert_ok(cuMemsetD8Async(block, 1, 1, stream));
	check_is_held(stream);
}

static void check_work_is_held(CUstream stream)
{
	check_block_is_held(used, stream);
}

/* Nothing but a stream's order lets another have the memory: the policies that
 * would do without are off. */
static CUdeviceptr freed_block(CUstream stream)
{
	CUdeviceptr block = pool_block(pool, stream);

	ck_assert_ok(cuMemFreeAsync(block, stream));
	return block;
}

static void note(void *over)
{
	atomic_store((atomic_bool *)over, true);
}

/* Returns when the work is over. The driver is not asked, so for all it knows
 * the host has not waited. */
static void see_the_end(CUstream stream)
{
	CUstream watcher = non_blocking();
	atomic_bool over = false;

	order(stream, watcher);
	ck_assert_ok(cuLaunchHostFunc(watcher, note, &over));
	while (!atomic_load(&over))
		sched_yield();
}

static void check_no_growth(CUstream stream)
{
	cuuint64_t reserved = pool_reserved(pool);
	CUdeviceptr block = pool_block(pool, stream);

	ck_assert_uint_eq(pool_reserved(pool), reserved);
	ck_assert_ok(cuMemsetD8Async(block, 1, POOL_BLOCK, stream));
}

START_TEST(
	work_behind_a_request_in_the_legacy_stream_waits_for_blocking_streams)
{
	pool_open();
	claims_hold(blocking());
	pool_block(pool, CU_STREAM_LEGACY);
	check_work_is_held(CU_STREAM_LEGACY);
	all_end();
}
END_TEST

START_TEST(work_behind_a_request_in_the_legacy_stream_waits_for_a_threads_own)
{
	pool_open();
	claims_hold(CU_STREAM_PER_THREAD);
	pool_block(pool, CU_STREAM_LEGACY);
	check_work_is_held(CU_STREAM_LEGACY);
	all_end();
}
END_TEST

/* What was freed in one blocking stream and is the legacy stream's now is used
 * by another after the free only. */
START_TEST(blocking_streams_wait_for_freed_memory_of_the_legacy_stream)
{
	CUdeviceptr former, block;
	CUstream held, other;

	pool_open();
	held = blocking();
	other = blocking();
	claims_hold(held);
	former = freed_block(held);
	block = pool_block(pool, CU_STREAM_LEGACY);
	if (block == former)
		check_block_is_held(block, other);
	all_end();
}
END_TEST

/* Who waits for the request may use the memory anywhere. */
START_TEST(a_request_is_over_after_the_free_of_its_memory)
{
	CUdeviceptr former;
	CUstream stream;

	pool_open();
	stream = blocking();
	claims_hold(CU_STREAM_LEGACY);
	former = freed_block(CU_STREAM_LEGACY);
	if (pool_block(pool, stream) == former)
		check_is_held(stream);
	all_end();
}
END_TEST

START_TEST(blocking_streams_wait_for_a_free_in_the_legacy_stream)
{
	CUdeviceptr block;
	CUstream other;

	pool_open();
	other = blocking();
	block = pool_block(pool, CU_STREAM_LEGACY);
	claims_hold(blocking());
	ck_assert_ok(cuMemFreeAsync(block, CU_STREAM_LEGACY));
	check_work_is_held(other);
	all_end();
}
END_TEST

START_TEST(work_behind_a_request_waits_for_the_legacy_stream)
{
	CUstream stream;

	pool_open();
	stream = blocking();
	claims_hold(CU_STREAM_LEGACY);
	pool_block(pool, stream);
	check_work_is_held(stream);
	all_end();
}
END_TEST

START_TEST(work_behind_a_request_waits_as_the_legacy_stream_does)
{
	CUstream held, stream;

	pool_open();
	held = non_blocking();
	stream = blocking();
	claims_hold(held);
	order(held, CU_STREAM_LEGACY);
	pool_block(pool, stream);
	check_work_is_held(stream);
	all_end();
}
END_TEST

START_TEST(a_free_in_a_blocking_stream_waits_for_the_legacy_stream)
{
	CUdeviceptr block;
	CUstream stream;

	pool_open();
	stream = blocking();
	block = pool_block(pool, stream);
	claims_hold(CU_STREAM_LEGACY);
	ck_assert_ok(cuMemFreeAsync(block, stream));
	check_is_held(stream);
	all_end();
}
END_TEST

START_TEST(requests_in_non_blocking_streams_are_apart)
{
	CUstream apart;

	pool_open();
	apart = non_blocking();
	claims_hold(CU_STREAM_LEGACY);
	freed_block(apart);
	ck_assert_ok(cuStreamSynchronize(apart));
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
	claims_hold(apart);
	freed_block(CU_STREAM_LEGACY);
	ck_assert_ok(cuStreamSynchronize(CU_STREAM_LEGACY));
	all_end();
}
END_TEST

START_TEST(work_behind_a_request_waits_as_its_context_does)
{
	CUstream held, stream;
	CUevent event;
	CUcontext ctx;

	pool_open();
	ck_assert_ok(cuCtxGetCurrent(&ctx));
	event = claims_event();
	held = non_blocking();
	stream = non_blocking();
	claims_hold(held);
	ck_assert_ok(cuEventRecord(event, held));
	ck_assert_ok(cuCtxWaitEvent(ctx, event));
	pool_block(pool, stream);
	check_work_is_held(stream);
	all_end();
}
END_TEST

/* The end of a stream may give back what the pool would not keep. */
START_TEST(a_free_orders_when_its_stream_is_gone)
{
	CUstream stream;

	pool_open();
	pool_set_number(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
	stream = blocking();
	freed_block(stream);
	see_the_end(stream);
	ck_assert_ok(cuStreamDestroy(stream));
	check_no_growth(CU_STREAM_LEGACY);
	all_end();
}
END_TEST

/* No pool has a block that the request could take. */
START_TEST(a_request_orders_when_its_stream_is_gone)
{
	CUstream first, second;
	CUdeviceptr ptr;

	pool_open();
	first = non_blocking();
	second = blocking();
	claims_hold(first);
	freed_block(first);
	order(first, second);
	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, (size_t)2 * POOL_BLOCK,
					     other_pool, second));
	ck_assert_ok(cuStreamDestroy(second));
	check_no_growth(CU_STREAM_LEGACY);
	check_is_held(CU_STREAM_LEGACY);
	all_end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		work_behind_a_request_in_the_legacy_stream_waits_for_blocking_streams,
		work_behind_a_request_in_the_legacy_stream_waits_for_a_threads_own,
		blocking_streams_wait_for_freed_memory_of_the_legacy_stream,
		a_request_is_over_after_the_free_of_its_memory,
		blocking_streams_wait_for_a_free_in_the_legacy_stream,
		work_behind_a_request_waits_for_the_legacy_stream,
		work_behind_a_request_waits_as_the_legacy_stream_does,
		a_free_in_a_blocking_stream_waits_for_the_legacy_stream,
		requests_in_non_blocking_streams_are_apart,
		work_behind_a_request_waits_as_its_context_does,
		a_free_orders_when_its_stream_is_gone,
		a_request_orders_when_its_stream_is_gone,
		NULL,
	};

	return claims_run("pool_legacy", tests);
}
