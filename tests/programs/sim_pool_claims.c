/* What only the simulated driver promises about pools. */
#include "../conformance/claims.h"
#include "../conformance/pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static const CUmemAllocationHandleType by_file =
	CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

static CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
static CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
static CUmemLocation node = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
static CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_NONE, 0};

static CUmemoryPool pool_at(CUmemLocation location, CUmemAllocationType type,
			    CUmemAllocationHandleType handles)
{
	CUmemPoolProps props = {.allocType = type,
				.handleTypes = handles,
				.location = location};
	CUmemoryPool pool;

	ck_assert_ok(cuMemPoolCreate(&pool, &props));
	return pool;
}

static CUmemoryPool pool_of_host(void)
{
	return pool_at(host, CU_MEM_ALLOCATION_TYPE_PINNED,
		       CU_MEM_HANDLE_TYPE_NONE);
}

static CUmemoryPool pool_managed(void)
{
	return pool_at(nowhere, CU_MEM_ALLOCATION_TYPE_MANAGED,
		       CU_MEM_HANDLE_TYPE_NONE);
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
	ck_assert_cu(cuMemPoolDestroy(copy), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuDevicePrimaryCtxReset(0));
	ck_assert_ok(cuDevicePrimaryCtxRetain(&ctx, 0));
	ck_assert_ok(cuCtxSetCurrent(ctx));
	ck_assert_cu(cuMemFree(alias), CUDA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(pool_used(pool), 0);
}
END_TEST

START_TEST(an_imported_pool_tells_no_figures)
{
	cuuint64_t value;

	claims_open();
	ck_assert_cu(cuMemPoolGetAttribute(opened(pool_shared()),
					   CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
					   &value),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(what_the_host_frees_is_used_until_it_waits)
{
	CUmemoryPool pool;

	claims_open();
	pool = pool_keeping();
	ck_assert_ok(cuMemFree(pool_block(pool, NULL)));
	ck_assert_uint_eq(pool_used(pool), POOL_BLOCK);
	pool_block(pool, NULL);
	ck_assert_uint_eq(pool_used(pool), POOL_BLOCK);
	ck_assert_uint_eq(pool_reserved(pool), POOL_BLOCK);
	ck_assert_ok(cuMemFree(pool_block(pool, NULL)));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(pool_used(pool), POOL_BLOCK);
}
END_TEST

static atomic_bool asks;

static void *release_soon(void *unused)
{
	while (!atomic_load(&asks))
		sched_yield();
	claims_release();
	return unused;
}

/* As a GPU did. */
START_TEST(memory_freed_in_a_stream_is_had_after_all_work)
{
	CUstream held, other;
	CUdeviceptr ptr;
	pthread_t thread;
	size_t bytes;

	claims_open();
	held = claims_stream(CU_STREAM_NON_BLOCKING);
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	bytes = device_free_bytes() / 4 * 3;
	ck_assert_ok(cuMemAlloc(&ptr, bytes));
	claims_hold(held);
	ck_assert_ok(cuMemFreeAsync(ptr, other));
	ck_assert_ok(cuStreamSynchronize(other));
	ck_assert_uint_ge(device_free_bytes(), bytes);
	ck_assert_ok(cuMemAlloc(&ptr, bytes / 8)); /* there is other memory */
	ck_assert_int_eq(pthread_create(&thread, NULL, release_soon, NULL), 0);
	atomic_store(&asks, true);
	ck_assert_ok(cuMemAlloc(&ptr, bytes / 2));
	ck_assert_ok(cuStreamQuery(held));
	pthread_join(thread, NULL);
}
END_TEST

/* No work is queued for it, so the stream has none. */
START_TEST(a_request_of_fresh_memory_waits_for_nothing)
{
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_DEFAULT);
	claims_hold(CU_STREAM_LEGACY);
	pool_block(pool_new(0), stream);
	ck_assert_ok(cuStreamSynchronize(stream));
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
}
END_TEST

START_TEST(a_streams_end_gives_back_what_is_over)
{
	CUmemoryPool pool;
	CUstream stream;

	claims_open();
	pool = pool_new(0);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuMemFreeAsync(pool_block(pool, stream), stream));
	while (cuStreamQuery(stream))
		;
	ck_assert_uint_eq(pool_reserved(pool), POOL_BLOCK);
	ck_assert_ok(cuStreamDestroy(stream));
	ck_assert_uint_eq(pool_reserved(pool), 0);
}
END_TEST

START_TEST(a_nodes_pool_may_be_shared)
{
	CUmemPoolPtrExportData data;
	CUmemoryPool pool, copy;
	CUdeviceptr ptr, alias;
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	pool = pool_at(node, CU_MEM_ALLOCATION_TYPE_PINNED, by_file);
	copy = opened(pool);
	ptr = pool_block(pool, stream);
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuMemPoolExportPointer(&data, ptr));
	ck_assert_ok(cuMemPoolImportPointer(&alias, copy, &data));
	ck_assert_ok(cuMemsetD8Async(alias, 4, POOL_BLOCK, stream));
	ck_assert_ok(cuMemFree(alias)); /* waits */
	ck_assert_int_eq(((char *)ptr)[POOL_BLOCK - 1], 4);
}
END_TEST

START_TEST(host_memory_is_told_from_device_memory)
{
	CUdeviceptr ptr;
	void *address;
	size_t before;
	int type, ordinal;

	claims_open();
	before = device_free_bytes();
	ptr = pool_block(pool_of_host(), NULL);
	ck_assert_uint_eq(device_free_bytes(), before);
	ck_assert_ok(cuPointerGetAttribute(
		&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, ptr));
	ck_assert_int_eq(type, CU_MEMORYTYPE_HOST);
	ck_assert_ok(cuPointerGetAttribute(
		&address, CU_POINTER_ATTRIBUTE_HOST_POINTER, ptr + 5));
	ck_assert_uint_eq((CUdeviceptr)address, ptr + 5);
	ck_assert_ok(cuPointerGetAttribute(
		&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr));
	ck_assert_int_eq(ordinal, CU_DEVICE_CPU);
}
END_TEST

START_TEST(a_host_pool_gives_back_what_was_waited_for)
{
	CUmemoryPool pools[2];

	claims_open();
	pools[0] = pool_of_host();
	pools[1] = pool_managed();
	for (int i = 0; i < 2; i++) {
		ck_assert_ok(cuMemFreeAsync(pool_block(pools[i], NULL), NULL));
		ck_assert_uint_ge(pool_reserved(pools[i]), POOL_BLOCK);
	}
	ck_assert_ok(cuStreamSynchronize(NULL));
	for (int i = 0; i < 2; i++)
		ck_assert_uint_eq(pool_reserved(pools[i]), 0);
}
END_TEST

START_TEST(host_pools_and_blocks_share_a_limit)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	void *block;

	setenv("MNM_SIM_PINNED", "64M", 1);
	claims_open();
	pool = pool_of_host();
	ck_assert_ok(cuMemAllocHost(&block, POOL_BLOCK + 1));
	ck_assert_cu(cuMemAllocFromPoolAsync(&ptr, POOL_BLOCK, pool, NULL),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_ok(cuMemFreeHost(block));
	pool_block(pool, NULL);
	ck_assert_cu(cuMemAllocHost(&block, POOL_BLOCK + 1),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_ok(cuMemAllocHost(&block, POOL_BLOCK));
}
END_TEST

START_TEST(default_pools_of_any_place_stay)
{
	CUmemoryPool pool;

	claims_open();
	ck_assert_ok(cuMemGetDefaultMemPool(&pool, &host,
					    CU_MEM_ALLOCATION_TYPE_PINNED));
	ck_assert_cu(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemGetDefaultMemPool(&pool, &device,
					    CU_MEM_ALLOCATION_TYPE_MANAGED));
	ck_assert_cu(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_place_without_its_current_pool_has_the_default_one)
{
	CUmemoryPool pool, standard, seen;

	claims_open();
	ck_assert_ok(cuMemGetDefaultMemPool(&standard, &nowhere,
					    CU_MEM_ALLOCATION_TYPE_MANAGED));
	pool = pool_managed();
	ck_assert_ok(cuMemSetMemPool(&nowhere, CU_MEM_ALLOCATION_TYPE_MANAGED,
				     pool));
	pool_block(pool, NULL);
	ck_assert_ok(cuMemPoolDestroy(pool));
	ck_assert_ok(cuMemGetMemPool(&seen, &nowhere,
				     CU_MEM_ALLOCATION_TYPE_MANAGED));
	ck_assert_ptr_eq(seen, standard);
}
END_TEST

static int mostly_read(CUdeviceptr ptr)
{
	int mostly = -1;

	ck_assert_ok(cuMemRangeGetAttribute(&mostly, sizeof(mostly),
					    CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
					    ptr, POOL_BLOCK));
	return mostly;
}

START_TEST(managed_memory_of_a_pool_takes_advice_until_it_is_freed)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;

	claims_open();
	pool = pool_managed();
	ptr = pool_block(pool, NULL);
	ck_assert_ok(cuMemAdvise(ptr, POOL_BLOCK, CU_MEM_ADVISE_SET_READ_MOSTLY,
				 device));
	ck_assert_int_eq(mostly_read(ptr), 1);
	ck_assert_ok(cuMemPrefetchAsync(ptr, POOL_BLOCK, device, 0, NULL));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_uint_eq(pool_block(pool, NULL), ptr);
	ck_assert_int_eq(mostly_read(ptr), 0);
}
END_TEST

START_TEST(graphs_allocate_no_memory_of_the_hosts_pools)
{
	CUmemoryPool pools[4];
	CUstream stream;
	CUdeviceptr ptr;

	claims_open();
	pools[0] = pool_of_host();
	pools[1] = pool_managed();
	pools[2] = pool_shared();
	pools[3] = pool_at(device, CU_MEM_ALLOCATION_TYPE_MANAGED,
			   CU_MEM_HANDLE_TYPE_NONE);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (int i = 0; i < 4; i++)
		ck_assert(cuMemAllocFromPoolAsync(&ptr, 64, pools[i], stream));
	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_ACTIVE);
}
END_TEST

START_TEST(a_pool_holds_a_block_of_the_size_of_its_limit)
{
	const size_t sizes[] = {1, 5000, 1 << 20, (5 << 20) + 1};

	claims_open();
	for (int i = 0; i < 4; i++) {
		CUdeviceptr ptr;

		ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, sizes[i],
						     pool_new(sizes[i]), NULL));
	}
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
		an_imported_pool_tells_no_figures,
		what_the_host_frees_is_used_until_it_waits,
		memory_freed_in_a_stream_is_had_after_all_work,
		a_request_of_fresh_memory_waits_for_nothing,
		a_streams_end_gives_back_what_is_over,
		a_nodes_pool_may_be_shared,
		host_memory_is_told_from_device_memory,
		a_host_pool_gives_back_what_was_waited_for,
		host_pools_and_blocks_share_a_limit,
		default_pools_of_any_place_stay,
		a_place_without_its_current_pool_has_the_default_one,
		managed_memory_of_a_pool_takes_advice_until_it_is_freed,
		graphs_allocate_no_memory_of_the_hosts_pools,
		a_pool_holds_a_block_of_the_size_of_its_limit,
		NULL,
	};

	return claims_run("sim_pool", tests);
}
