#include <stdbool.h>

#include "claims.h"

enum { SIZE = 4 << 20 };

static const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
static const CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};

static CUdeviceptr managed(void)
{
	CUdeviceptr ptr;

	ck_assert_ok(cuMemAllocManaged(&ptr, SIZE, CU_MEM_ATTACH_GLOBAL));
	return ptr;
}

static int attribute(CUmem_range_attribute what, CUdeviceptr ptr)
{
	int value = 77;

	ck_assert_ok(
		cuMemRangeGetAttribute(&value, sizeof(value), what, ptr, SIZE));
	return value;
}

START_TEST(nothing_is_advised_at_first)
{
	CUdeviceptr ptr;

	claims_open();
	ptr = managed();
	ck_assert_int_eq(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, ptr), 0);
	ck_assert_int_eq(
		attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, ptr),
		CU_DEVICE_INVALID);
	ck_assert_int_eq(
		attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, ptr),
		CU_DEVICE_INVALID);
	ck_assert_int_eq(attribute(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, ptr),
			 CU_DEVICE_INVALID);
}
END_TEST

START_TEST(advice_is_told_again)
{
	CUdeviceptr ptr;

	claims_open();
	ptr = managed();
	ck_assert_ok(
		cuMemAdvise(ptr, SIZE, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
	ck_assert_ok(cuMemAdvise(ptr, SIZE,
				 CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
	ck_assert_ok(
		cuMemAdvise(ptr, SIZE, CU_MEM_ADVISE_SET_ACCESSED_BY, here));
	ck_assert_int_eq(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, ptr), 1);
	ck_assert_int_eq(
		attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, ptr), 0);
	ck_assert_int_eq(attribute(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, ptr), 0);
	ck_assert_ok(cuMemAdvise(ptr, SIZE,
				 CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
	ck_assert_int_eq(
		attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, ptr),
		CU_DEVICE_CPU);
	ck_assert_ok(
		cuMemAdvise(ptr, SIZE, CU_MEM_ADVISE_UNSET_READ_MOSTLY, here));
	ck_assert_int_eq(attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, ptr), 0);
}
END_TEST

START_TEST(a_prefetch_changes_no_byte)
{
	unsigned char byte = 0;
	CUdeviceptr ptr;
	CUstream stream;

	claims_open();
	ptr = managed();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	((unsigned char *)ptr)[100] = 9;
	ck_assert_ok(cuMemPrefetchAsync(ptr, SIZE, here, 0, stream));
	ck_assert_ok(cuMemcpyDtoHAsync(&byte, ptr + 100, 1, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(byte, 9);
	ck_assert_int_eq(
		attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, ptr),
		0);
	ck_assert_ok(cuMemPrefetchAsync(ptr, SIZE, host, 0, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(((unsigned char *)ptr)[100], 9);
	ck_assert_int_eq(
		attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, ptr),
		CU_DEVICE_CPU);
}
END_TEST

static bool is_concurrent(void)
{
	int concurrent = 0;

	ck_assert_ok(cuDeviceGetAttribute(
		&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
	return concurrent;
}

/* cuda.h, on cuMemAllocManaged: where concurrent access is supported. */
START_TEST(managed_memory_may_be_more_than_the_device_has)
{
	unsigned char byte = 0;
	size_t total, size;
	CUdeviceptr ptr;

	claims_open();
	if (!is_concurrent())
		return;
	ck_assert_ok(cuDeviceTotalMem(&total, 0));
	size = total + total / 4;
	ck_assert_ok(cuMemAllocManaged(&ptr, size, CU_MEM_ATTACH_GLOBAL));
	ck_assert_ok(cuMemsetD8(ptr + size - 1, 5, 1));
	ck_assert_ok(cuMemcpyDtoH(&byte, ptr + size - 1, 1));
	ck_assert_int_eq(byte, 5);
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

/* The same place: it may be evicted to make room for other allocations. */
START_TEST(device_memory_is_there_beside_managed_memory)
{
	CUdeviceptr ptr, other;
	size_t free, total;

	claims_open();
	if (!is_concurrent())
		return;
	ck_assert_ok(cuMemGetInfo(&free, &total));
	ck_assert_ok(
		cuMemAllocManaged(&ptr, total / 4 * 3, CU_MEM_ATTACH_GLOBAL));
	ck_assert_ok(cuMemAlloc(&other, free / 2));
	ck_assert_ok(cuMemFree(other));
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

START_TEST(only_managed_memory_is_advised_and_prefetched)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, SIZE));
	ck_assert_cu(
		cuMemAdvise(ptr, SIZE, CU_MEM_ADVISE_SET_READ_MOSTLY, here),
		CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemPrefetchAsync(ptr, SIZE, here, 0, NULL),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_device_that_is_not_there_is_invalid)
{
	const CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_DEVICE, 1000};
	CUdeviceptr ptr;

	claims_open();
	ptr = managed();
	ck_assert_cu(cuMemPrefetchAsync(ptr, SIZE, nowhere, 0, NULL),
		     CUDA_ERROR_INVALID_DEVICE);
}
END_TEST

START_TEST(batch_of_prefetches_has_a_place_for_each)
{
	CUmemLocation places[] = {here, host};
	size_t first[] = {0, 1}, sizes[] = {SIZE, SIZE};
	CUdeviceptr ptrs[2];
	CUstream stream;
	int type;

	claims_open();
	if (!is_concurrent())
		return;
	ptrs[0] = managed();
	ptrs[1] = managed();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuMemPrefetchBatchAsync(ptrs, sizes, 2, places, first, 2,
					     0, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuMemRangeGetAttribute(
		&type, sizeof(type),
		CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, ptrs[1],
		SIZE));
	ck_assert_int_eq(type, CU_MEM_LOCATION_TYPE_HOST);
	first[1] = 0;
	ck_assert_cu(cuMemPrefetchBatchAsync(ptrs, sizes, 2, places, first, 2,
					     0, stream),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(discarded_memory_can_be_written)
{
	size_t sizes[] = {SIZE};
	CUdeviceptr ptrs[1];
	CUstream stream;
	char byte = 0;

	claims_open();
	if (!is_concurrent())
		return;
	ptrs[0] = managed();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuMemDiscardBatchAsync(ptrs, sizes, 1, 0, stream));
	ck_assert_ok(cuMemsetD8Async(ptrs[0], 9, SIZE, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuMemcpyDtoH(&byte, ptrs[0], 1));
	ck_assert_int_eq(byte, 9);
	ck_assert_cu(cuMemDiscardBatchAsync(ptrs, sizes, 1, 0, NULL),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(all_who_access_memory_are_told)
{
	CUdeviceptr ptr;
	int found[3];

	claims_open();
	if (!is_concurrent())
		return;
	ptr = managed();
	ck_assert_ok(
		cuMemAdvise(ptr, SIZE, CU_MEM_ADVISE_SET_ACCESSED_BY, host));
	ck_assert_ok(
		cuMemAdvise(ptr, SIZE, CU_MEM_ADVISE_SET_ACCESSED_BY, here));
	ck_assert_ok(cuMemRangeGetAttribute(found, sizeof(found),
					    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
					    ptr, SIZE));
	ck_assert_int_eq(found[0], 0);
	ck_assert_int_eq(found[1], CU_DEVICE_CPU);
	ck_assert_int_eq(found[2], CU_DEVICE_INVALID);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		nothing_is_advised_at_first,
		advice_is_told_again,
		a_prefetch_changes_no_byte,
		managed_memory_may_be_more_than_the_device_has,
		device_memory_is_there_beside_managed_memory,
		only_managed_memory_is_advised_and_prefetched,
		a_device_that_is_not_there_is_invalid,
		batch_of_prefetches_has_a_place_for_each,
		discarded_memory_can_be_written,
		all_who_access_memory_are_told,
		NULL,
	};

	return claims_run("managed", tests);
}
