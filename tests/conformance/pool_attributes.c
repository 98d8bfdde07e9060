/* What is told about pools, and about memory of pools. */
#include "../programs/handle_get.h"
#include "claims.h"
#include "pools.h"

#include <stdint.h>

START_TEST(a_pool_begins_with_all_policies_and_no_threshold)
{
	CUmemoryPool pool;
	int flags[2];

	claims_open();
	pool = pool_new(0);
	for (int what = CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES;
	     what <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
	     what++) {
		flags[0] = flags[1] = -1;
		ck_assert_ok(cuMemPoolGetAttribute(
			pool, (CUmemPool_attribute)what, flags));
		ck_assert_int_eq(flags[0], 1);
		ck_assert_int_eq(flags[1], -1); /* a flag is an int */
	}
	ck_assert_uint_eq(pool_number(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD),
			  0);
}
END_TEST

START_TEST(a_policy_is_read_as_it_was_set)
{
	int flags[2] = {0, 1};
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	ck_assert_ok(cuMemPoolSetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, flags));
	flags[0] = -1;
	ck_assert_ok(cuMemPoolGetAttribute(
		pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, flags));
	ck_assert_int_eq(flags[0], 0);
}
END_TEST

START_TEST(what_is_used_and_reserved_cannot_be_set)
{
	cuuint64_t zero = 0;
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	ck_assert_cu(cuMemPoolSetAttribute(
			     pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &zero),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemPoolSetAttribute(
			     pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &zero),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

static void check_numbers(CUmemoryPool pool, cuuint64_t least_used)
{
	cuuint64_t used = pool_used(pool), reserved = pool_reserved(pool);

	ck_assert_uint_ge(used, least_used);
	ck_assert_uint_le(used, reserved);
	ck_assert_uint_ge(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH),
			  used);
	ck_assert_uint_ge(pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH),
			  reserved);
}

START_TEST(no_more_is_used_than_reserved)
{
	CUdeviceptr blocks[4];
	CUmemoryPool pool;

	claims_open();
	pool = pool_keeping();
	check_numbers(pool, 0);
	for (int i = 0; i < 4; i++) {
		blocks[i] = pool_block(pool, NULL);
		check_numbers(pool, (i + 1) * POOL_BLOCK);
	}
	for (int i = 0; i < 4; i++) {
		ck_assert_ok(cuMemFreeAsync(blocks[i], NULL));
		check_numbers(pool, (3 - i) * POOL_BLOCK);
	}
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_uint_eq(pool_used(pool), 0);
	ck_assert_uint_ge(pool_reserved(pool), 4 * POOL_BLOCK);
	ck_assert_ok(cuMemPoolTrimTo(pool, 0));
	check_numbers(pool, 0);
	ck_assert_uint_ge(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH),
			  4 * POOL_BLOCK);
	ck_assert_uint_ge(pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH),
			  4 * POOL_BLOCK);
}
END_TEST

START_TEST(a_high_mark_falls_to_what_is)
{
	CUmemoryPool pool;

	claims_open();
	pool = pool_keeping();
	pool_block(pool, NULL);
	ck_assert_ok(cuMemFreeAsync(pool_block(pool, NULL), NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
	ck_assert_ok(cuMemPoolTrimTo(pool, 0));
	pool_set_number(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, 0);
	pool_set_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, 0);
	ck_assert_uint_eq(pool_number(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH),
			  pool_used(pool));
	ck_assert_uint_eq(pool_number(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH),
			  pool_reserved(pool));
	ck_assert_uint_ge(pool_used(pool), POOL_BLOCK);
}
END_TEST

START_TEST(memory_of_a_pool_has_no_context)
{
	CUmemoryPool pool, seen;
	CUcontext ctx = claims_open();
	CUdeviceptr ptr;
	int ordinal = -1;

	pool = pool_new(0);
	ptr = pool_block(pool, NULL);
	ck_assert_ok(
		cuPointerGetAttribute(&ctx, CU_POINTER_ATTRIBUTE_CONTEXT, ptr));
	ck_assert_ptr_null(ctx);
	ck_assert_ok(cuPointerGetAttribute(
		&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr));
	ck_assert_int_eq(ordinal, 0);
	ck_assert_ok(cuPointerGetAttribute(
		&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, ptr));
	ck_assert_ptr_eq(seen, pool);
}
END_TEST

START_TEST(other_memory_has_no_pool)
{
	CUmemoryPool seen = (CUmemoryPool)1;

	claims_open();
	ck_assert_ok(cuPointerGetAttribute(
		&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, claims_numbers()));
	ck_assert_ptr_null(seen);
}
END_TEST

START_TEST(memory_of_a_pool_is_a_block_of_its_own)
{
	CUdeviceptr ptr, base;
	unsigned type = 0;
	size_t size;

	claims_open();
	ptr = pool_block(pool_new(0), NULL);
	ck_assert_ok(cuMemGetAddressRange(&base, &size, ptr + 4096));
	ck_assert_uint_eq(base, ptr);
	ck_assert_uint_ge(size, POOL_BLOCK);
	ck_assert_ok(cuPointerGetAttribute(
		&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, ptr + 4096));
	ck_assert_uint_eq(type, CU_MEMORYTYPE_DEVICE);
	ck_assert_uint_eq(ptr % 256, 0);
}
END_TEST

START_TEST(a_buffer_id_is_new_in_each_life)
{
	unsigned long long ids[3];
	CUmemoryPool pool;

	claims_open();
	pool = pool_keeping();
	for (int i = 0; i < 3; i++) {
		CUdeviceptr ptr = pool_block(pool, NULL);

		ck_assert_ok(cuPointerGetAttribute(
			&ids[i], CU_POINTER_ATTRIBUTE_BUFFER_ID, ptr));
		ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	}
	ck_assert(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
}
END_TEST

START_TEST(memory_of_a_pool_has_no_legacy_handle)
{
	CUipcMemHandle handle;
	unsigned capable = 1;
	CUdeviceptr ptr;

	claims_open();
	ptr = pool_block(pool_new(0), NULL);
	ck_assert_ok(cuPointerGetAttribute(
		&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
		ptr));
	ck_assert_uint_eq(capable & 1, 0);
	ck_assert(handle_get(&handle, ptr));
}
END_TEST

START_TEST(memory_of_a_pool_has_no_handle_to_share)
{
	CUmemGenericAllocationHandle handle;
	unsigned types[2] = {1, 0};
	CUdeviceptr ptr;

	claims_open();
	ptr = pool_block(pool_new(0), NULL);
	ck_assert_ok(cuPointerGetAttribute(
		types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, ptr));
	ck_assert_uint_eq(types[0], CU_MEM_HANDLE_TYPE_NONE);
	ck_assert(cuMemRetainAllocationHandle(&handle, (void *)ptr));
}
END_TEST

START_TEST(the_pools_device_cannot_lose_its_access)
{
	CUmemAccessDesc desc = {.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
				.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE};
	CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	CUmemoryPool pool;

	claims_open();
	pool = pool_new(0);
	ck_assert_cu(cuMemPoolSetAccess(pool, &desc, 1),
		     CUDA_ERROR_INVALID_DEVICE);
	ck_assert_ok(cuMemPoolGetAccess(&flags, pool, &desc.location));
	ck_assert_int_eq(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_pool_begins_with_all_policies_and_no_threshold,
		a_policy_is_read_as_it_was_set,
		what_is_used_and_reserved_cannot_be_set,
		no_more_is_used_than_reserved,
		a_high_mark_falls_to_what_is,
		memory_of_a_pool_has_no_context,
		other_memory_has_no_pool,
		memory_of_a_pool_is_a_block_of_its_own,
		a_buffer_id_is_new_in_each_life,
		memory_of_a_pool_has_no_legacy_handle,
		memory_of_a_pool_has_no_handle_to_share,
		the_pools_device_cannot_lose_its_access,
		NULL,
	};

	return claims_run("pool_attributes", tests);
}
