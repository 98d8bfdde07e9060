/* Pools of managed memory. Where the driver has none there is nothing
 * to claim. */
#include "claims.h"
#include "pools.h"

#include <stdbool.h>

static CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_NONE, 0};
static CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

/* Finds the default pool of managed memory for a place. Returns false if there
 * is none. */
static bool open_managed(CUmemLocation *location, CUmemoryPool *pool)
{
	int concurrent;
	CUresult res;

	claims_open();
	ck_assert_ok(cuDeviceGetAttribute(
		&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
	if (!concurrent)
		return false;
	res = cuMemGetDefaultMemPool(pool, location,
				     CU_MEM_ALLOCATION_TYPE_MANAGED);
	if (res != CUDA_ERROR_NOT_SUPPORTED)
		ck_assert_ok(res);
	return !res;
}

static CUmemoryPool pool_at(CUmemLocation location)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_MANAGED,
				.location = location};
	CUmemoryPool pool;

	ck_assert_ok(cuMemPoolCreate(&pool, &props));
	return pool;
}

/* Uses memory of the pool on both sides, without a copy. */
static void check_use(CUmemoryPool pool)
{
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUfunction add = claims_kernel();
	CUdeviceptr ptr = pool_block(pool, stream);
	int managed = 0, *numbers = (int *)ptr;
	CUmemoryPool seen;

	ck_assert_uint_ge(pool_used(pool), POOL_BLOCK);
	ck_assert_ok(cuPointerGetAttribute(
		&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, ptr));
	ck_assert_int_eq(managed, 1);
	ck_assert_ok(cuPointerGetAttribute(
		&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, ptr));
	ck_assert_ptr_eq(seen, pool);
	ck_assert_ok(cuStreamSynchronize(stream));
	for (int i = 0; i < CLAIMS_COUNT; i++)
		numbers[i] = -i;
	ck_assert_ok(claims_add(add, ptr, 8, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	for (int i = 0; i < CLAIMS_COUNT; i++)
		ck_assert_int_eq(numbers[i], 8 - i);
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_uint_eq(pool_used(pool), 0);
}

START_TEST(the_default_pool_of_no_place_serves)
{
	CUmemoryPool pool;

	if (open_managed(&nowhere, &pool))
		check_use(pool);
}
END_TEST

START_TEST(the_default_pool_of_a_device_serves)
{
	CUmemoryPool pool;

	if (open_managed(&device, &pool))
		check_use(pool);
}
END_TEST

START_TEST(pools_for_a_place_and_for_none_serve)
{
	CUmemoryPool pool;

	if (!open_managed(&nowhere, &pool))
		return;
	check_use(pool_at(nowhere));
	check_use(pool_at(device));
}
END_TEST

START_TEST(managed_memory_has_a_current_pool_of_its_own)
{
	CUmemoryPool standard, pool, seen;
	CUdeviceptr ptr;
	int managed = 7;

	if (!open_managed(&device, &standard))
		return;
	ck_assert_ok(cuMemGetMemPool(&seen, &device,
				     CU_MEM_ALLOCATION_TYPE_MANAGED));
	ck_assert_ptr_eq(seen, standard);
	pool = pool_at(device);
	ck_assert_ok(
		cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_MANAGED, pool));
	ck_assert_ok(cuMemGetMemPool(&seen, &device,
				     CU_MEM_ALLOCATION_TYPE_MANAGED));
	ck_assert_ptr_eq(seen, pool);
	ck_assert_ok(cuMemAllocAsync(&ptr, 64, NULL));
	ck_assert_ok(cuPointerGetAttribute(
		&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, ptr));
	ck_assert_int_eq(managed, 0);
}
END_TEST

START_TEST(a_pool_is_current_for_its_own_type_only)
{
	CUmemoryPool standard, pool, plain;

	if (!open_managed(&device, &standard))
		return;
	pool = pool_at(device);
	plain = pool_new(0);
	ck_assert_cu(
		cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, pool),
		CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(
		cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_MANAGED, plain),
		CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(
		cuMemSetMemPool(&nowhere, CU_MEM_ALLOCATION_TYPE_MANAGED, pool),
		CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuDeviceSetMemPool(0, pool)); /* it asks for no type */
}
END_TEST

START_TEST(there_are_no_other_types)
{
	CUmemoryPool pool;

	claims_open();
	ck_assert_cu(cuMemGetDefaultMemPool(&pool, &device,
					    CU_MEM_ALLOCATION_TYPE_INVALID),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_default_pool_of_no_place_serves,
		the_default_pool_of_a_device_serves,
		pools_for_a_place_and_for_none_serve,
		managed_memory_has_a_current_pool_of_its_own,
		a_pool_is_current_for_its_own_type_only,
		there_are_no_other_types,
		NULL,
	};

	return claims_run("pool_managed", tests);
}
