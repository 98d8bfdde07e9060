/* Pools that may hold only so many bytes. */
#include "claims.h"
#include "pools.h"

#include <stdint.h>

/* Two blocks fit. */
static CUmemoryPool pool_for_two(void)
{
	return pool_new(2 * POOL_BLOCK);
}

static void check_full(CUmemoryPool pool, CUstream stream)
{
	CUdeviceptr ptr = 1;

	ck_assert_cu(cuMemAllocFromPoolAsync(&ptr, POOL_BLOCK, pool, stream),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
}

START_TEST(a_limit_is_for_all_blocks_together)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	cuuint64_t used;

	claims_open();
	pool = pool_for_two();
	ptr = pool_block(pool, NULL);
	pool_block(pool, NULL);
	used = pool_used(pool);
	check_full(pool, NULL);
	ck_assert_uint_eq(pool_used(pool), used);
	ck_assert_uint_le(pool_reserved(pool), 2 * POOL_BLOCK);
	ck_assert_ok(cuMemsetD8(ptr, 1, POOL_BLOCK));
}
END_TEST

START_TEST(a_freed_block_makes_room_in_its_stream)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	CUstream stream;

	claims_open();
	pool = pool_for_two();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	pool_block(pool, stream);
	ptr = pool_block(pool, stream);
	claims_hold(stream);
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	pool_block(pool, stream);
	check_full(pool, stream);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

START_TEST(what_a_pool_keeps_serves_other_sizes_within_its_limit)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_for_two();
	pool_set_number(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, 2 * POOL_BLOCK, pool, NULL));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	pool_block(pool, NULL);
	pool_block(pool, NULL);
	check_full(pool, NULL);
}
END_TEST

START_TEST(the_current_pools_limit_is_that_of_plain_requests)
{
	CUmemoryPool pool;
	CUdeviceptr ptr = 1;

	claims_open();
	pool = pool_for_two();
	ck_assert_ok(cuDeviceSetMemPool(0, pool));
	ck_assert_cu(cuMemAllocAsync(&ptr, 3 * POOL_BLOCK, NULL),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
	ck_assert_ok(cuMemPoolDestroy(pool));
	ck_assert_ok(cuMemAllocAsync(&ptr, 3 * POOL_BLOCK, NULL));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_limit_is_for_all_blocks_together,
		a_freed_block_makes_room_in_its_stream,
		what_a_pool_keeps_serves_other_sizes_within_its_limit,
		the_current_pools_limit_is_that_of_plain_requests,
		NULL,
	};

	return claims_run("pool_limit", tests);
}
