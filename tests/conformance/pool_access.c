/* Pools and other devices. With one device there is nothing to claim. */
#include "claims.h"
#include "pools.h"

#include <stdbool.h>

static CUcontext near, far;
static CUstream stream; /* of the second device */

/* Returns false if there is no second device that may have access. */
static bool open_both(void)
{
	int count, can = 0;

	near = claims_open();
	ck_assert_ok(cuDeviceGetCount(&count));
	if (count > 1)
		ck_assert_ok(cuDeviceCanAccessPeer(&can, 1, 0));
	if (!can)
		return false;
	ck_assert_ok(cuDevicePrimaryCtxRetain(&far, 1));
	ck_assert_ok(cuCtxSetCurrent(far));
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	return true;
}

static CUresult access_set(CUmemoryPool pool, CUmemAccess_flags flags)
{
	CUmemAccessDesc desc = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 1},
				.flags = flags};

	return cuMemPoolSetAccess(pool, &desc, 1);
}

static void check_access(CUmemoryPool pool, CUmemAccess_flags want)
{
	CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
	CUmemAccess_flags flags;

	ck_assert_ok(cuMemPoolGetAccess(&flags, pool, &location));
	ck_assert_int_eq(flags, want);
}

START_TEST(another_device_has_the_access_that_it_was_given)
{
	CUmemoryPool pool;

	if (!open_both())
		return;
	pool = pool_new(0);
	check_access(pool, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	ck_assert_ok(access_set(pool, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
	check_access(pool, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	ck_assert_ok(access_set(pool, CU_MEM_ACCESS_FLAGS_PROT_NONE));
	check_access(pool, CU_MEM_ACCESS_FLAGS_PROT_NONE);
}
END_TEST

/* Adds to a number in the block from the second device. */
static void check_use(CUfunction add, CUdeviceptr ptr)
{
	int seen = 0;

	ck_assert_ok(cuMemsetD32Async(ptr, 4, 1, stream));
	ck_assert_ok(claims_add(add, ptr, 3, 1, stream));
	ck_assert_ok(cuMemcpyDtoHAsync(&seen, ptr, sizeof(seen), stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(seen, 7);
}

START_TEST(access_is_for_blocks_of_before_and_after)
{
	CUdeviceptr before, after;
	CUmemoryPool pool;
	CUfunction add;

	if (!open_both())
		return;
	add = claims_kernel();
	pool = pool_new(0);
	before = pool_block(pool, stream);
	ck_assert_ok(access_set(pool, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
	after = pool_block(pool, stream);
	check_use(add, before);
	check_use(add, after);
	ck_assert_ok(cuMemFreeAsync(before, stream));
	ck_assert_ok(cuMemFreeAsync(after, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_uint_eq(pool_used(pool), 0);
}
END_TEST

/* As the last, but with blocks that the pool's own device has asked for. */
START_TEST(kernels_of_another_device_reach_a_shared_pools_blocks)
{
	CUdeviceptr before, after;
	CUmemoryPool pool;
	CUstream own;
	CUfunction add;

	if (!open_both())
		return;
	add = claims_kernel();
	ck_assert_ok(cuCtxSetCurrent(near));
	own = claims_stream(CU_STREAM_NON_BLOCKING);
	pool = pool_new(0);
	before = pool_block(pool, own);
	ck_assert_ok(access_set(pool, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
	after = pool_block(pool, own);
	ck_assert_ok(cuStreamSynchronize(own));
	ck_assert_ok(cuCtxSetCurrent(far));
	check_use(add, before);
	check_use(add, after);
	ck_assert_ok(cuCtxSetCurrent(near));
	ck_assert_ok(cuMemFreeAsync(before, own));
	ck_assert_ok(cuMemFreeAsync(after, own));
	ck_assert_ok(cuStreamSynchronize(own));
}
END_TEST

/* The program's own access between contexts is another matter. */
START_TEST(a_shared_pool_enables_no_access_between_contexts)
{
	CUmemoryPool pool;

	if (!open_both())
		return;
	ck_assert_ok(cuCtxSetCurrent(near));
	pool = pool_new(0);
	ck_assert_ok(access_set(pool, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
	pool_block(pool, NULL);
	ck_assert_ok(cuCtxSetCurrent(far));
	ck_assert_cu(cuCtxDisablePeerAccess(near),
		     CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
	ck_assert_ok(cuCtxEnablePeerAccess(near, 0));
	ck_assert_cu(cuCtxEnablePeerAccess(near, 0),
		     CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
	ck_assert_ok(cuCtxDisablePeerAccess(near));
	ck_assert_cu(cuCtxDisablePeerAccess(near),
		     CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
}
END_TEST

/* As the runtime's reference says of cudaDeviceEnablePeerAccess. */
START_TEST(access_to_a_context_ends_with_a_reset)
{
	CUcontext again;

	if (!open_both())
		return;
	ck_assert_ok(cuCtxSetCurrent(far));
	ck_assert_ok(cuCtxEnablePeerAccess(near, 0));
	ck_assert_ok(cuDevicePrimaryCtxReset(0));
	ck_assert_ok(cuDevicePrimaryCtxRetain(&again, 0));
	ck_assert_cu(cuCtxDisablePeerAccess(again),
		     CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
	ck_assert_ok(cuCtxEnablePeerAccess(again, 0));
}
END_TEST

START_TEST(a_block_is_the_pools_devices_and_not_the_streams)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	int ordinal = -1;

	if (!open_both())
		return;
	pool = pool_new(0);
	ptr = pool_block(pool, stream);
	ck_assert_ok(cuPointerGetAttribute(
		&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr));
	ck_assert_int_eq(ordinal, 0);
	ck_assert_ok(cuMemAllocAsync(&ptr, POOL_BLOCK, stream));
	ck_assert_ok(cuPointerGetAttribute(
		&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr));
	ck_assert_int_eq(ordinal, 1);
}
END_TEST

/* The second device's free and an event order the first device's stream. */
START_TEST(events_order_streams_of_two_devices)
{
	CUmemoryPool pool;
	CUdeviceptr ptr;
	CUstream other;
	cuuint64_t reserved;
	CUevent event;

	if (!open_both())
		return;
	event = claims_event();
	pool = pool_new(0);
	pool_allow(pool, 1, 0, 0);
	ptr = pool_block(pool, stream);
	claims_hold(stream);
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_ok(cuCtxSetCurrent(near));
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuStreamWaitEvent(other, event, 0));
	reserved = pool_reserved(pool);
	ptr = pool_block(pool, other);
	ck_assert_uint_eq(pool_reserved(pool), reserved);
	claims_release();
	ck_assert_ok(cuMemFreeAsync(ptr, other));
	ck_assert_ok(cuStreamSynchronize(other));
	ck_assert_uint_eq(pool_reserved(pool), 0);
}
END_TEST

START_TEST(a_pool_is_current_on_its_own_device_only)
{
	if (!open_both())
		return;
	ck_assert_cu(cuDeviceSetMemPool(1, pool_new(0)),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(access_is_for_devices_that_there_are)
{
	CUmemAccessDesc desc = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 99},
				.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

	claims_open();
	ck_assert(cuMemPoolSetAccess(pool_new(0), &desc, 1));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		another_device_has_the_access_that_it_was_given,
		access_is_for_blocks_of_before_and_after,
		kernels_of_another_device_reach_a_shared_pools_blocks,
		a_shared_pool_enables_no_access_between_contexts,
		access_to_a_context_ends_with_a_reset,
		a_block_is_the_pools_devices_and_not_the_streams,
		events_order_streams_of_two_devices,
		a_pool_is_current_on_its_own_device_only,
		access_is_for_devices_that_there_are,
		NULL,
	};

	return claims_run("pool_access", tests);
}
