#include "claims.h"

START_TEST(first_async_alloc_needs_a_context)
{
	CUdeviceptr ptr;

	ck_assert_ok(cuInit(0));
	ck_assert_cu(cuMemAllocAsync(&ptr, 64, NULL),
		     CUDA_ERROR_INVALID_CONTEXT);
}
END_TEST

START_TEST(async_block_is_usable_in_its_stream)
{
	CUdeviceptr ptr;
	CUstream stream;
	int seen[4];

	claims_open();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuMemAllocAsync(&ptr, sizeof(seen), stream));
	ck_assert_ok(cuMemsetD32Async(ptr, 9, 4, stream));
	ck_assert_ok(cuMemcpyDtoHAsync(seen, ptr, sizeof(seen), stream));
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(seen[3], 9);
}
END_TEST

START_TEST(async_block_may_be_freed_at_once)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAllocAsync(&ptr, 1 << 20, NULL));
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

START_TEST(plain_block_may_be_freed_in_a_stream)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 1 << 20));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
}
END_TEST

START_TEST(freed_in_stream_order_serves_the_next)
{
	size_t free_bytes, total;
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&free_bytes, &total));
	for (int i = 0; i < 8; i++) {
		ck_assert_ok(cuMemAllocAsync(&ptr, free_bytes / 4 * 3, NULL));
		ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	}
	ck_assert_ok(cuStreamSynchronize(NULL));
}
END_TEST

START_TEST(async_alloc_of_nothing_is_invalid)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_cu(cuMemAllocAsync(&ptr, 0, NULL), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(used_memory_follows_the_blocks)
{
	cuuint64_t before, during, after;
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuDeviceGetDefaultMemPool(&pool, 0));
	ck_assert_ok(cuMemPoolGetAttribute(
		pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &before));
	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, 32 << 20, pool, NULL));
	ck_assert_ok(cuMemPoolGetAttribute(
		pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &during));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_ok(cuMemPoolGetAttribute(
		pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &after));
	ck_assert_uint_ge(during, before + (32 << 20));
	ck_assert_uint_eq(after, before);
}
END_TEST

START_TEST(release_threshold_is_kept)
{
	cuuint64_t threshold = 12345678, seen = 0;
	CUmemoryPool pool;

	claims_open();
	ck_assert_ok(cuDeviceGetDefaultMemPool(&pool, 0));
	ck_assert_ok(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
	ck_assert_ok(cuMemPoolGetAttribute(
		pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &seen));
	ck_assert_uint_eq(seen, threshold);
}
END_TEST

START_TEST(the_default_pool_is_the_current_one)
{
	CUmemoryPool current, standard;

	claims_open();
	ck_assert_ok(cuDeviceGetDefaultMemPool(&standard, 0));
	ck_assert_ok(cuDeviceGetMemPool(&current, 0));
	ck_assert_ptr_eq(current, standard);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		first_async_alloc_needs_a_context,
		async_block_is_usable_in_its_stream,
		async_block_may_be_freed_at_once,
		plain_block_may_be_freed_in_a_stream,
		freed_in_stream_order_serves_the_next,
		async_alloc_of_nothing_is_invalid,
		used_memory_follows_the_blocks,
		release_threshold_is_kept,
		the_default_pool_is_the_current_one,
		NULL,
	};

	return claims_run("pool", tests);
}
