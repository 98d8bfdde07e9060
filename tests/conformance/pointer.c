#include "claims.h"

#include <stdlib.h>

static CUdeviceptr block_new(size_t size)
{
	CUdeviceptr ptr;

	ck_assert_ok(cuMemAlloc(&ptr, size));
	return ptr;
}

START_TEST(device_memory_is_told_as_such)
{
	CUcontext ctx = claims_open(), seen;
	CUdeviceptr ptr = block_new(4 << 20);
	unsigned type = 0, managed = 1;
	int ordinal = -1;

	ck_assert_ok(cuPointerGetAttribute(
		&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, ptr + 100));
	ck_assert_uint_eq(type, CU_MEMORYTYPE_DEVICE);
	ck_assert_ok(cuPointerGetAttribute(&seen, CU_POINTER_ATTRIBUTE_CONTEXT,
					   ptr));
	ck_assert_ptr_eq(seen, ctx);
	ck_assert_ok(cuPointerGetAttribute(
		&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr));
	ck_assert_int_eq(ordinal, 0);
	ck_assert_ok(cuPointerGetAttribute(
		&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, ptr));
	ck_assert_uint_eq(managed & 1, 0);
}
END_TEST

/* cuda_runtime_api.h says so of the runtime, which asks this. */
START_TEST(the_host_has_no_address_of_device_memory)
{
	CUdeviceptr ptr, host = 9;
	CUpointer_attribute what = CU_POINTER_ATTRIBUTE_HOST_POINTER;
	void *out = &host;

	claims_open();
	ptr = block_new(4096);
	ck_assert_cu(cuPointerGetAttribute(&host, what, ptr),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuPointerGetAttributes(1, &what, &out, ptr));
	ck_assert_uint_eq(host, 0);
}
END_TEST

START_TEST(range_is_that_of_the_block)
{
	CUdeviceptr ptr, start;
	size_t size;

	claims_open();
	ptr = block_new(4 << 20);
	ck_assert_ok(cuPointerGetAttribute(
		&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, ptr + 4096));
	ck_assert_ok(cuPointerGetAttribute(
		&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, ptr + 4096));
	ck_assert_uint_eq(start, ptr);
	ck_assert_uint_eq(size, 4 << 20);
}
END_TEST

START_TEST(buffer_id_is_new_with_each_allocation)
{
	unsigned long long first, second;
	CUdeviceptr ptr;

	claims_open();
	ptr = block_new(4 << 20);
	ck_assert_ok(cuPointerGetAttribute(
		&first, CU_POINTER_ATTRIBUTE_BUFFER_ID, ptr));
	ck_assert_ok(cuMemFree(ptr));
	ptr = block_new(4 << 20);
	ck_assert_ok(cuPointerGetAttribute(
		&second, CU_POINTER_ATTRIBUTE_BUFFER_ID, ptr));
	ck_assert_uint_ne(first, second);
}
END_TEST

START_TEST(buffer_id_of_pinned_memory_is_new_too)
{
	unsigned long long first, second;
	void *host;

	claims_open();
	ck_assert_ok(cuMemAllocHost(&host, 4096));
	ck_assert_ok(cuPointerGetAttribute(
		&first, CU_POINTER_ATTRIBUTE_BUFFER_ID, (CUdeviceptr)host));
	ck_assert_ok(cuMemFreeHost(host));
	ck_assert_ok(cuMemAllocHost(&host, 4096));
	ck_assert_ok(cuPointerGetAttribute(
		&second, CU_POINTER_ATTRIBUTE_BUFFER_ID, (CUdeviceptr)host));
	ck_assert_uint_ne(first, second);
}
END_TEST

START_TEST(pageable_memory_is_unknown)
{
	unsigned type = 0;
	void *mine = malloc(64);

	claims_open();
	ck_assert_cu(cuPointerGetAttribute(&type,
					   CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
					   (CUdeviceptr)mine),
		     CUDA_ERROR_INVALID_VALUE);
	free(mine);
}
END_TEST

START_TEST(pinned_memory_is_the_hosts)
{
	CUdeviceptr host_addr = 0;
	unsigned type = 0;
	void *host;

	claims_open();
	ck_assert_ok(cuMemAllocHost(&host, 4096));
	ck_assert_ok(cuPointerGetAttribute(
		&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));
	ck_assert_uint_eq(type, CU_MEMORYTYPE_HOST);
	ck_assert_ok(cuPointerGetAttribute(&host_addr,
					   CU_POINTER_ATTRIBUTE_HOST_POINTER,
					   (CUdeviceptr)host));
	ck_assert_uint_eq(host_addr, (CUdeviceptr)host);
}
END_TEST

START_TEST(many_attributes_of_unknown_memory_succeed)
{
	unsigned type = 9;
	CUdeviceptr dev = 9;
	CUpointer_attribute what[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				      CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
	void *out[] = {&type, &dev};
	void *mine = malloc(64);

	claims_open();
	ck_assert_ok(cuPointerGetAttributes(2, what, out, (CUdeviceptr)mine));
	ck_assert_uint_eq(type, 0);
	ck_assert_uint_eq(dev, 0);
	free(mine);
}
END_TEST

START_TEST(memory_can_be_read_and_written)
{
	CUdeviceptr ptr;
	int flags = 0, direct = -1;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 4096));
	ck_assert_ok(cuPointerGetAttribute(
		&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, ptr));
	ck_assert_int_eq(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	ck_assert_ok(cuPointerGetAttribute(
		&direct, CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, ptr));
	ck_assert(direct == 0 || direct == 1);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		device_memory_is_told_as_such,
		the_host_has_no_address_of_device_memory,
		range_is_that_of_the_block,
		buffer_id_is_new_with_each_allocation,
		buffer_id_of_pinned_memory_is_new_too,
		pageable_memory_is_unknown,
		pinned_memory_is_the_hosts,
		many_attributes_of_unknown_memory_succeed,
		memory_can_be_read_and_written,
		NULL,
	};

	return claims_run("pointer", tests);
}
