#include "claims.h"
#include "pools.h"

#include <stdint.h>

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

START_TEST(async_alloc_of_nothing_succeeds_with_no_address)
{
	CUdeviceptr ptr = 1;
	CUmemoryPool pool;

	claims_open();
	ck_assert_ok(cuDeviceGetDefaultMemPool(&pool, 0));
	ck_assert_ok(cuMemAllocAsync(&ptr, 0, NULL));
	ck_assert_uint_eq(ptr, 0);
	ptr = 1;
	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, 0, pool, NULL));
	ck_assert_uint_eq(ptr, 0);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
}
END_TEST

START_TEST(more_than_there_is_is_out_of_memory)
{
	CUdeviceptr ptr = 1;

	claims_open();
	ck_assert_cu(cuMemAllocAsync(&ptr, (size_t)1 << 50, NULL),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
	ck_assert_ok(cuMemAllocAsync(&ptr, 1 << 20, NULL));
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

START_TEST(a_pool_keeps_up_to_its_threshold)
{
	cuuint64_t all = UINT64_MAX;
	size_t before, kept, after;
	CUmemoryPool pool;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&before, NULL));
	pool = pool_new(0);
	ck_assert_ok(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
	ck_assert_ok(cuMemFreeAsync(pool_block(pool, NULL), NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
			  0);
	ck_assert_uint_ge(
		pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT),
		32 << 20);
	ck_assert_ok(cuMemGetInfo(&kept, NULL));
	ck_assert_uint_le(kept + (32 << 20), before);
	ck_assert_ok(cuMemPoolTrimTo(pool, 0));
	ck_assert_uint_eq(
		pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
	ck_assert_ok(cuMemGetInfo(&after, NULL));
	ck_assert_uint_eq(after, before);
}
END_TEST

START_TEST(what_a_pool_keeps_serves_it_again)
{
	cuuint64_t all = UINT64_MAX, reserved;
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_new(0);
	ck_assert_ok(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
	ptr = pool_block(pool, NULL);
	reserved = pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ptr = pool_block(pool, NULL);
	ck_assert_uint_eq(pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH),
			  reserved);
	ck_assert_ok(cuMemsetD8Async(ptr, 1, 32 << 20, NULL));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
}
END_TEST

START_TEST(high_marks_are_set_back_to_what_is)
{
	cuuint64_t zero = 0, one = 1;
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	ck_assert_ok(cuMemFreeAsync(pool_block(pool, NULL), NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_ge(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH),
			  32 << 20);
	ck_assert_cu(cuMemPoolSetAttribute(
			     pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &one),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH,
					   &zero));
	ck_assert_uint_eq(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 0);
}
END_TEST

START_TEST(a_pool_may_have_a_limit)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_new(64 << 20);
	ck_assert_cu(cuMemAllocFromPoolAsync(&ptr, 128 << 20, pool, NULL),
		     CUDA_ERROR_OUT_OF_MEMORY);
	pool_block(pool, NULL);
}
END_TEST

START_TEST(the_current_pool_serves)
{
	CUmemoryPool pool, standard, seen;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_new(0);
	ck_assert_ok(cuDeviceSetMemPool(0, pool));
	ck_assert_ok(cuMemAllocAsync(&ptr, 1 << 20, NULL));
	ck_assert_uint_ge(pool_used(pool), 1 << 20);
	ck_assert_ok(cuPointerGetAttribute(
		&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, ptr));
	ck_assert_ptr_eq(seen, pool);
	ck_assert_ok(cuMemPoolDestroy(pool));
	ck_assert_ok(cuDeviceGetDefaultMemPool(&standard, 0));
	ck_assert_ok(cuDeviceGetMemPool(&seen, 0));
	ck_assert_ptr_eq(seen, standard);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
}
END_TEST

START_TEST(the_default_pool_is_not_destroyed)
{
	CUmemoryPool pool;

	claims_open();
	ck_assert_ok(cuDeviceGetDefaultMemPool(&pool, 0));
	ck_assert_cu(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_pool_is_its_devices)
{
	CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	ck_assert_ok(cuMemPoolGetAccess(&flags, pool, &here));
	ck_assert_int_eq(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
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
		async_alloc_of_nothing_succeeds_with_no_address,
		more_than_there_is_is_out_of_memory,
		used_memory_follows_the_blocks,
		release_threshold_is_kept,
		the_default_pool_is_the_current_one,
		a_pool_keeps_up_to_its_threshold,
		what_a_pool_keeps_serves_it_again,
		high_marks_are_set_back_to_what_is,
		a_pool_may_have_a_limit,
		the_current_pool_serves,
		the_default_pool_is_not_destroyed,
		a_pool_is_its_devices,
		NULL,
	};

	return claims_run("pool", tests);
}
