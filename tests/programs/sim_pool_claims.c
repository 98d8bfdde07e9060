/* What only the simulated driver promises about pools. */
#include "../conformance/claims.h"
#include "../conformance/pools.h"

#include <stdint.h>
#include <unistd.h>

static const CUmemAllocationHandleType by_file =
	CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

static CUmemoryPool pool_shared(void)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.handleTypes = by_file,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemoryPool pool;

	ck_assert_ok(cuMemPoolCreate(&pool, &props));
	return pool;
}

/* Opens a pool of this process as if it were another's. */
static CUmemoryPool opened(CUmemoryPool pool)
{
	CUmemoryPool copy;
	int file;

	ck_assert_ok(cuMemPoolExportToShareableHandle(&file, pool, by_file, 0));
	ck_assert_ok(cuMemPoolImportFromShareableHandle(
		&copy, (void *)(intptr_t)file, by_file, 0));
	close(file);
	return copy;
}

START_TEST(a_shared_pool_gives_nothing_back)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	size_t before;

	claims_open();
	before = device_free_bytes();
	pool = pool_shared();
	ptr = pool_block(pool, NULL);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_ge(pool_reserved(pool), POOL_BLOCK);
	ck_assert_ok(cuMemPoolTrimTo(pool, 0));
	ck_assert_uint_ge(pool_reserved(pool), POOL_BLOCK);
	ck_assert_uint_eq(pool_block(pool, NULL), ptr);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuMemPoolDestroy(pool));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(device_free_bytes(), before);
}
END_TEST

START_TEST(a_shared_pool_gives_back_where_it_is_short)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	size_t bytes;

	claims_open();
	pool = pool_shared();
	bytes = device_free_bytes() / 4 * 3;
	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, bytes, pool, NULL));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, bytes / 2, pool, NULL));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
}
END_TEST

START_TEST(a_process_may_open_its_own_pool)
{
	CUmemPoolPtrExportData data;
	CUdeviceptr ptr, alias;
	CUmemoryPool pool;
	char seen = 0;

	claims_open();
	pool = pool_shared();
	ptr = pool_block(pool, NULL);
	ck_assert_ok(cuMemsetD8(ptr, 6, POOL_BLOCK));
	ck_assert_ok(cuMemPoolExportPointer(&data, ptr + 100));
	ck_assert_ok(cuMemPoolImportPointer(&alias, opened(pool), &data));
	ck_assert_uint_ne(alias, ptr);
	ck_assert_ok(cuMemcpyDtoH(&seen, alias, 1));
	ck_assert_int_eq(seen, 6);
	ck_assert_ok(cuMemFree(alias));
	ck_assert_ok(cuMemcpyDtoH(&seen, ptr, 1));
	ck_assert_cu(cuMemFree(alias), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(memory_of_another_pool_is_not_imported)
{
	CUmemPoolPtrExportData data;
	CUmemoryPool pool, other;
	CUdeviceptr ptr, alias;

	claims_open();
	pool = pool_shared();
	other = opened(pool_shared());
	ptr = pool_block(pool, NULL);
	ck_assert_ok(cuMemPoolExportPointer(&data, ptr));
	ck_assert_cu(cuMemPoolImportPointer(&alias, other, &data),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemPoolImportPointer(&alias, pool, &data),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(any_other_file_is_no_pool)
{
	CUmemoryPool pool;
	int ends[2];

	claims_open();
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_cu(cuMemPoolImportFromShareableHandle(
			     &pool, (void *)(intptr_t)ends[0], by_file, 0),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemPoolImportFromShareableHandle(
			     &pool, (void *)(intptr_t)-1, by_file, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(an_imported_pool_is_not_shared_again)
{
	CUmemoryPool pool;
	int file = -1;

	claims_open();
	pool = opened(pool_shared());
	ck_assert_cu(cuMemPoolExportToShareableHandle(&file, pool, by_file, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_reset_ends_what_was_imported)
{
	CUmemPoolPtrExportData data;
	CUmemoryPool pool, copy;
	CUdeviceptr alias;
	CUcontext ctx;

	ctx = claims_open();
	pool = pool_shared();
	copy = opened(pool);
	ck_assert_ok(cuMemPoolExportPointer(&data, pool_block(pool, NULL)));
	ck_assert_ok(cuMemPoolImportPointer(&alias, copy, &data));
	ck_assert_ok(cuMemPoolDestroy(copy));
	ck_assert_ok(cuDevicePrimaryCtxReset(0));
	ck_assert_ok(cuDevicePrimaryCtxRetain(&ctx, 0));
	ck_assert_ok(cuCtxSetCurrent(ctx));
	ck_assert_cu(cuMemFree(alias), CUDA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(pool_used(pool), 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_shared_pool_gives_nothing_back,
		a_shared_pool_gives_back_where_it_is_short,
		a_process_may_open_its_own_pool,
		memory_of_another_pool_is_not_imported,
		any_other_file_is_no_pool,
		an_imported_pool_is_not_shared_again,
		a_reset_ends_what_was_imported,
		NULL,
	};

	return claims_run("sim_pool", tests);
}
