#include "pools.h"

#include <stdint.h>

#include "claims.h"

CUmemoryPool pool_new(size_t most)
{
	CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
				.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.maxSize = most};
	CUmemoryPool pool;

	ck_assert_ok(cuMemPoolCreate(&pool, &props));
	return pool;
}

CUmemoryPool pool_keeping(void)
{
	CUmemoryPool pool = pool_new(0);

	pool_set_number(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, UINT64_MAX);
	return pool;
}

CUmemoryPool pool_shared(void)
{
	CUmemPoolProps props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemoryPool pool;

	ck_assert_ok(cuMemPoolCreate(&pool, &props));
	return pool;
}

cuuint64_t pool_number(CUmemoryPool pool, CUmemPool_attribute what)
{
	cuuint64_t value;

	ck_assert_ok(cuMemPoolGetAttribute(pool, what, &value));
	return value;
}

void pool_set_number(CUmemoryPool pool, CUmemPool_attribute what,
		     cuuint64_t value)
{
	ck_assert_ok(cuMemPoolSetAttribute(pool, what, &value));
}

void pool_allow(CUmemoryPool pool, int follow_events, int opportunistic,
		int internal)
{
	ck_assert_ok(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
		&follow_events));
	ck_assert_ok(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
		&opportunistic));
	ck_assert_ok(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
		&internal));
}

cuuint64_t pool_reserved(CUmemoryPool pool)
{
	return pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
}

cuuint64_t pool_used(CUmemoryPool pool)
{
	return pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
}

CUdeviceptr pool_block(CUmemoryPool pool, CUstream stream)
{
	CUdeviceptr ptr;

	ck_assert_ok(cuMemAllocFromPoolAsync(&ptr, POOL_BLOCK, pool, stream));
	return ptr;
}

size_t device_free_bytes(void)
{
	size_t bytes;

	ck_assert_ok(cuMemGetInfo(&bytes, NULL));
	return bytes;
}
