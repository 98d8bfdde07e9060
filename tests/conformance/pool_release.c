/* When a pool gives memory back: once a host has waited for the frees. */
#include "claims.h"
#include "pools.h"

#include <stdint.h>

/* Frees a block in a stream that is held, and returns the stream. */
static CUstream freed_in_a_held_stream(CUmemoryPool pool)
{
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUdeviceptr ptr = pool_block(pool, stream);

	claims_hold(stream);
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	return stream;
}

START_TEST(waiting_for_a_stream_gives_memory_back)
{
	CUmemoryPool pool;
	CUstream stream;
	size_t before;

	claims_open();
	pool = pool_new(0);
	before = device_free_bytes();
	stream = freed_in_a_held_stream(pool);
	ck_assert_uint_ge(pool_reserved(pool), POOL_BLOCK);
	ck_assert_uint_le(device_free_bytes() + POOL_BLOCK, before);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_uint_eq(pool_reserved(pool), 0);
	ck_assert_uint_eq(device_free_bytes(), before);
}
END_TEST

START_TEST(waiting_for_an_event_gives_memory_back)
{
	CUmemoryPool pool;
	CUevent event;

	claims_open();
	pool = pool_new(0);
	event = claims_event();
	ck_assert_ok(cuEventRecord(event, freed_in_a_held_stream(pool)));
	claims_release();
	ck_assert_ok(cuEventSynchronize(event));
	ck_assert_uint_eq(pool_reserved(pool), 0);
}
END_TEST

START_TEST(waiting_for_a_context_gives_memory_back)
{
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	freed_in_a_held_stream(pool);
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_uint_eq(pool_reserved(pool), 0);
}
END_TEST

START_TEST(what_is_still_in_use_stays)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_new(0);
	ptr = pool_block(pool, NULL);
	ck_assert_ok(cuMemFreeAsync(pool_block(pool, NULL), NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_ge(pool_reserved(pool), POOL_BLOCK);
	ck_assert_uint_ge(pool_used(pool), POOL_BLOCK);
	ck_assert_ok(cuMemsetD8(ptr, 1, POOL_BLOCK));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(pool_reserved(pool), 0);
}
END_TEST

START_TEST(a_threshold_is_held_onto)
{
	cuuint64_t reserved;
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_new(0);
	ptr = pool_block(pool, NULL);
	reserved = pool_reserved(pool);
	pool_set_number(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, reserved);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(pool_reserved(pool), reserved);
	pool_set_number(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0);
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(pool_reserved(pool), 0);
}
END_TEST

START_TEST(a_trim_leaves_what_no_host_has_waited_for)
{
	CUmemoryPool pool;

	claims_open();
	pool = pool_keeping();
	freed_in_a_held_stream(pool);
	ck_assert_ok(cuMemPoolTrimTo(pool, 0));
	ck_assert_uint_ge(pool_reserved(pool), POOL_BLOCK);
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_uint_ge(pool_reserved(pool), POOL_BLOCK);
	ck_assert_ok(cuMemPoolTrimTo(pool, 0));
	ck_assert_uint_eq(pool_reserved(pool), 0);
}
END_TEST

START_TEST(a_trim_leaves_as_much_as_it_is_told)
{
	CUdeviceptr blocks[4];
	CUmemoryPool pool;

	claims_open();
	pool = pool_keeping();
	for (int i = 0; i < 4; i++)
		blocks[i] = pool_block(pool, NULL);
	for (int i = 0; i < 4; i++)
		ck_assert_ok(cuMemFreeAsync(blocks[i], NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_ok(cuMemPoolTrimTo(pool, 2 * POOL_BLOCK));
	ck_assert_uint_ge(pool_reserved(pool), 2 * POOL_BLOCK);
	ck_assert_uint_lt(pool_reserved(pool), 4 * POOL_BLOCK);
}
END_TEST

START_TEST(a_pool_is_destroyed_without_a_wait)
{
	CUmemoryPool pool;
	size_t before;

	claims_open();
	pool = pool_keeping();
	before = device_free_bytes();
	freed_in_a_held_stream(pool);
	ck_assert_ok(cuMemPoolDestroy(pool));
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_uint_eq(device_free_bytes(), before);
}
END_TEST

START_TEST(a_destroyed_pools_block_lasts_until_it_is_freed)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	size_t before;
	char seen;

	claims_open();
	pool = pool_keeping();
	before = device_free_bytes();
	ptr = pool_block(pool, NULL);
	ck_assert_ok(cuMemPoolDestroy(pool));
	ck_assert_ok(cuMemsetD8(ptr, 7, POOL_BLOCK));
	ck_assert_ok(cuMemcpyDtoH(&seen, ptr + POOL_BLOCK - 1, 1));
	ck_assert_int_eq(seen, 7);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(device_free_bytes(), before);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		waiting_for_a_stream_gives_memory_back,
		waiting_for_an_event_gives_memory_back,
		waiting_for_a_context_gives_memory_back,
		what_is_still_in_use_stays,
		a_threshold_is_held_onto,
		a_trim_leaves_what_no_host_has_waited_for,
		a_trim_leaves_as_much_as_it_is_told,
		a_pool_is_destroyed_without_a_wait,
		a_destroyed_pools_block_lasts_until_it_is_freed,
		NULL,
	};

	return claims_run("pool_release", tests);
}
