/* Pools of the host's memory. Where a device has none there is nothing
 * to claim. */
#include "claims.h"
#include "pools.h"

#include <stdbool.h>
#include <string.h>

static CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
static CUmemLocation node = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};

static bool device_has(CUdevice_attribute what)
{
	int value;

	ck_assert_ok(cuDeviceGetAttribute(&value, what, 0));
	return value;
}

/* Returns false if there are no such pools. */
static bool open_host(void)
{
	claims_open();
	return device_has(CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED);
}

static bool open_node(void)
{
	claims_open();
	ck_assert_ok(cuDeviceGetAttribute(&node.id,
					  CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 0));
	return node.id >= 0 &&
	       device_has(CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED);
}

static CUresult pool_make(CUmemoryPool *pool, CUmemLocation location,
			  CUmemAllocationHandleType types)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.handleTypes = types,
				.location = location};

	return cuMemPoolCreate(pool, &props);
}

static CUmemoryPool pool_at(CUmemLocation location)
{
	CUmemoryPool pool;

	ck_assert_ok(pool_make(&pool, location, CU_MEM_HANDLE_TYPE_NONE));
	return pool;
}

static CUmemAccess_flags access_from(CUmemoryPool pool, CUmemLocation location)
{
	CUmemAccess_flags flags;

	ck_assert_ok(cuMemPoolGetAccess(&flags, pool, &location));
	return flags;
}

/* Gives the device access, and then uses memory of the pool on both sides. */
static void check_use(CUmemoryPool pool)
{
	CUmemAccessDesc desc = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUfunction add = claims_kernel();
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUdeviceptr ptr;
	CUmemoryPool seen;
	int *numbers;

	ck_assert_ok(cuMemPoolSetAccess(pool, &desc, 1));
	ptr = pool_block(pool, stream);
	ck_assert_uint_ge(pool_used(pool), POOL_BLOCK);
	ck_assert_ok(cuPointerGetAttribute(
		&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, ptr));
	ck_assert_ptr_eq(seen, pool);
	ck_assert_ok(cuStreamSynchronize(stream));
	numbers = (int *)ptr;
	for (int i = 0; i < CLAIMS_COUNT; i++)
		numbers[i] = i;
	ck_assert_ok(claims_add(add, ptr, 5, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	for (int i = 0; i < CLAIMS_COUNT; i++)
		ck_assert_int_eq(numbers[i], i + 5);
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_uint_eq(pool_used(pool), 0);
}

START_TEST(host_and_device_use_a_host_pools_memory)
{
	if (open_host())
		check_use(pool_at(host));
}
END_TEST

START_TEST(host_and_device_use_a_nodes_memory)
{
	if (open_node())
		check_use(pool_at(node));
}
END_TEST

START_TEST(the_hosts_default_pool_serves)
{
	CUmemoryPool pool;

	if (!open_host())
		return;
	ck_assert_ok(cuMemGetDefaultMemPool(&pool, &host,
					    CU_MEM_ALLOCATION_TYPE_PINNED));
	check_use(pool);
}
END_TEST

/* The call may wait for what comes before it in the stream. */
START_TEST(copies_to_a_host_pools_memory_keep_their_order)
{
	CUdeviceptr numbers, ptr;
	CUmemoryPool pool;
	CUstream stream;

	if (!open_host())
		return;
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	numbers = claims_numbers();
	pool = pool_at(host);
	ptr = pool_block(pool, stream);
	ck_assert_ok(cuStreamSynchronize(stream));
	memset((void *)ptr, 1, 8);
	for (int i = 1; i <= 77; i++)
		ck_assert_ok(
			cuMemsetD32Async(numbers, i, CLAIMS_COUNT, stream));
	ck_assert_ok(cuMemcpyDtoHAsync((void *)ptr, numbers, 8, stream));
	ck_assert_ok(cuMemsetD32Async(numbers, 78, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(((int *)ptr)[1], 77);
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

START_TEST(a_copy_to_a_host_pools_memory_is_over_when_it_returns)
{
	CUdeviceptr bytes, ptr;

	if (!open_host())
		return;
	ck_assert_ok(cuMemAlloc(&bytes, 2 * POOL_BLOCK));
	ptr = pool_block(pool_at(host), NULL);
	ck_assert_ok(cuStreamSynchronize(NULL));
	memset((void *)ptr, 0, 8);
	ck_assert_ok(cuMemsetD8Async(bytes, 3, 2 * POOL_BLOCK, NULL));
	ck_assert_ok(cuMemcpyDtoH((void *)ptr, bytes, 8));
	ck_assert_int_eq(*(int *)ptr, 0x03030303);
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

START_TEST(the_host_has_access_to_its_own_pools_only)
{
	if (!open_host())
		return;
	ck_assert_int_eq(access_from(pool_at(host), host),
			 CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	ck_assert_int_eq(access_from(pool_new(0), host),
			 CU_MEM_ACCESS_FLAGS_PROT_NONE);
}
END_TEST

START_TEST(the_number_of_a_host_is_ignored)
{
	CUmemLocation numbered = {CU_MEM_LOCATION_TYPE_HOST, 12345};

	if (open_host())
		ck_assert_ok(cuMemPoolDestroy(pool_at(numbered)));
}
END_TEST

START_TEST(a_host_pool_is_not_shared)
{
	CUmemoryPool pool;

	if (!open_host())
		return;
	ck_assert_cu(pool_make(&pool, host,
			       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(the_threads_node_is_no_place_for_a_pool)
{
	CUmemLocation here = {CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0};
	CUmemoryPool pool;

	claims_open();
	ck_assert_cu(pool_make(&pool, here, CU_MEM_HANDLE_TYPE_NONE),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemGetDefaultMemPool(&pool, &here,
					    CU_MEM_ALLOCATION_TYPE_PINNED),
		     CUDA_ERROR_NOT_SUPPORTED);
}
END_TEST

START_TEST(pinned_memory_is_somewhere)
{
	CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_NONE, 0};
	CUmemoryPool pool;

	claims_open();
	ck_assert_cu(cuMemGetDefaultMemPool(&pool, &nowhere,
					    CU_MEM_ALLOCATION_TYPE_PINNED),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(
		cuMemGetMemPool(&pool, &nowhere, CU_MEM_ALLOCATION_TYPE_PINNED),
		CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemSetMemPool(&nowhere, CU_MEM_ALLOCATION_TYPE_PINNED,
				     pool_new(0)),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(the_host_has_a_current_pool_of_its_own)
{
	CUmemoryPool pool, standard, seen;
	CUdeviceptr ptr;
	int type;

	if (!open_host())
		return;
	ck_assert_ok(cuMemGetDefaultMemPool(&standard, &host,
					    CU_MEM_ALLOCATION_TYPE_PINNED));
	ck_assert_ok(
		cuMemGetMemPool(&seen, &host, CU_MEM_ALLOCATION_TYPE_PINNED));
	ck_assert_ptr_eq(seen, standard);
	pool = pool_at(host);
	ck_assert_ok(
		cuMemSetMemPool(&host, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
	ck_assert_ok(
		cuMemGetMemPool(&seen, &host, CU_MEM_ALLOCATION_TYPE_PINNED));
	ck_assert_ptr_eq(seen, pool);
	ck_assert_ok(cuMemAllocAsync(&ptr, 64, NULL));
	ck_assert_ok(cuPointerGetAttribute(
		&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, ptr));
	ck_assert_int_eq(type, CU_MEMORYTYPE_DEVICE);
	ck_assert_uint_eq(pool_used(pool), 0);
}
END_TEST

START_TEST(a_pool_is_current_in_its_own_place_only)
{
	CUmemoryPool of_host, of_device;
	CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};

	if (!open_host())
		return;
	of_host = pool_at(host);
	of_device = pool_new(0);
	ck_assert_cu(cuDeviceSetMemPool(0, of_host), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED,
				     of_host),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemSetMemPool(&host, CU_MEM_ALLOCATION_TYPE_PINNED,
				     of_device),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_devices_place_is_the_device)
{
	CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	CUmemoryPool pool, standard, seen;

	claims_open();
	ck_assert_ok(cuDeviceGetDefaultMemPool(&standard, 0));
	ck_assert_ok(cuMemGetDefaultMemPool(&seen, &device,
					    CU_MEM_ALLOCATION_TYPE_PINNED));
	ck_assert_ptr_eq(seen, standard);
	pool = pool_new(0);
	ck_assert_ok(
		cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_PINNED, pool));
	ck_assert_ok(cuDeviceGetMemPool(&seen, 0));
	ck_assert_ptr_eq(seen, pool);
	ck_assert_ok(
		cuMemGetMemPool(&seen, &device, CU_MEM_ALLOCATION_TYPE_PINNED));
	ck_assert_ptr_eq(seen, pool);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		host_and_device_use_a_host_pools_memory,
		host_and_device_use_a_nodes_memory,
		the_hosts_default_pool_serves,
		copies_to_a_host_pools_memory_keep_their_order,
		a_copy_to_a_host_pools_memory_is_over_when_it_returns,
		the_host_has_access_to_its_own_pools_only,
		the_number_of_a_host_is_ignored,
		a_host_pool_is_not_shared,
		the_threads_node_is_no_place_for_a_pool,
		pinned_memory_is_somewhere,
		the_host_has_a_current_pool_of_its_own,
		a_pool_is_current_in_its_own_place_only,
		a_devices_place_is_the_device,
		NULL,
	};

	return claims_run("pool_host", tests);
}
