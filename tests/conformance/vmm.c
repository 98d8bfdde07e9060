#include "claims.h"

enum { MIB = 1 << 20 };

static size_t step; /* the granularity */

static CUmemAllocationProp prop(void)
{
	return (CUmemAllocationProp){
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
}

static void open_all(void)
{
	CUmemAllocationProp want = prop();

	claims_open();
	ck_assert_ok(cuMemGetAllocationGranularity(
		&step, &want, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
}

static CUmemGenericAllocationHandle create(size_t size)
{
	CUmemAllocationProp want = prop();
	CUmemGenericAllocationHandle handle;

	ck_assert_ok(cuMemCreate(&handle, size, &want, 0));
	return handle;
}

static CUdeviceptr reserve(size_t size)
{
	CUdeviceptr ptr;

	ck_assert_ok(cuMemAddressReserve(&ptr, size, 0, 0, 0));
	return ptr;
}

static CUresult allow(CUdeviceptr ptr, size_t size)
{
	CUmemAccessDesc desc = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
				CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

	return cuMemSetAccess(ptr, size, &desc, 1);
}

static void map(CUdeviceptr ptr, size_t size,
		CUmemGenericAllocationHandle handle)
{
	ck_assert_ok(cuMemMap(ptr, size, 0, handle, 0));
	ck_assert_ok(allow(ptr, size));
}

/* Maps memory and releases its only handle. The memory lives as long as it is
 * mapped. */
static CUdeviceptr mapped(size_t size)
{
	CUmemGenericAllocationHandle handle = create(size);
	CUdeviceptr ptr = reserve(size);

	map(ptr, size, handle);
	ck_assert_ok(cuMemRelease(handle));
	return ptr;
}

static int byte_at(CUdeviceptr ptr)
{
	unsigned char byte;

	ck_assert_ok(cuMemcpyDtoH(&byte, ptr, 1));
	return byte;
}

START_TEST(granularity_is_a_power_of_two)
{
	CUmemAllocationProp want = prop();
	size_t best;

	open_all();
	ck_assert_uint_ge(step, 4096);
	ck_assert_uint_eq(step & (step - 1), 0);
	ck_assert_ok(cuMemGetAllocationGranularity(
		&best, &want, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
	ck_assert_uint_eq(best % step, 0);
}
END_TEST

START_TEST(mapped_memory_is_as_good_as_any)
{
	CUdeviceptr ptr, base;
	size_t size;

	open_all();
	ptr = mapped(2 * step);
	ck_assert_ok(cuMemsetD32(ptr, 40, CLAIMS_COUNT));
	ck_assert_ok(claims_add(claims_kernel(), ptr, 2, CLAIMS_COUNT, NULL));
	ck_assert_int_eq(claims_number(ptr, CLAIMS_COUNT - 1), 42);
	ck_assert_ok(cuMemGetAddressRange(&base, &size, ptr + 1000));
	ck_assert_uint_eq(base, ptr);
	ck_assert_uint_eq(size, 2 * step);
}
END_TEST

START_TEST(one_handle_at_two_addresses_is_one_memory)
{
	CUmemGenericAllocationHandle handle;
	CUdeviceptr first, second;

	open_all();
	handle = create(step);
	first = reserve(step);
	second = reserve(step);
	map(first, step, handle);
	map(second, step, handle);
	ck_assert_ok(cuMemsetD8(first + 100, 5, 1));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(byte_at(second + 100), 5);
}
END_TEST

START_TEST(mappings_side_by_side_are_one_piece)
{
	CUdeviceptr ptr, base;
	size_t size;

	open_all();
	ptr = reserve(2 * step);
	ck_assert_ok(cuMemMap(ptr, step, 0, create(step), 0));
	ck_assert_ok(cuMemMap(ptr + step, step, 0, create(step), 0));
	ck_assert_ok(allow(ptr, 2 * step));
	ck_assert_ok(cuMemsetD8(ptr, 6, 2 * step));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(byte_at(ptr + 2 * step - 1), 6);
	ck_assert_ok(cuMemGetAddressRange(&base, &size, ptr + step + 1));
	ck_assert_uint_eq(base, ptr + step);
	ck_assert_uint_eq(size, step);
	ck_assert_ok(cuMemUnmap(ptr, 2 * step));
}
END_TEST

START_TEST(memory_goes_back_with_its_last_holder)
{
	CUmemGenericAllocationHandle handle;
	size_t before, during, released, after;
	size_t size;
	CUdeviceptr ptr;

	open_all();
	size = 64 * MIB;
	ptr = reserve(size);
	ck_assert_ok(cuMemGetInfo(&before, NULL));
	handle = create(size);
	ck_assert_ok(cuMemGetInfo(&during, NULL));
	map(ptr, size, handle);
	ck_assert_ok(cuMemRelease(handle));
	ck_assert_ok(cuMemsetD8(ptr, 1, size));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_ok(cuMemGetInfo(&released, NULL));
	ck_assert_ok(cuMemUnmap(ptr, size));
	ck_assert_ok(cuMemAddressFree(ptr, size));
	ck_assert_ok(cuMemGetInfo(&after, NULL));
	ck_assert_uint_le(during + size, before);
	ck_assert_uint_eq(released, during);
	ck_assert_uint_eq(after, before);
}
END_TEST

START_TEST(reserved_addresses_have_no_memory)
{
	CUdeviceptr ptr, start, base;
	unsigned char byte;
	size_t size;

	open_all();
	ptr = reserve(4 * step);
	ck_assert_uint_eq(ptr % step, 0);
	ck_assert(cuMemcpyDtoH(&byte, ptr, 1));
	ck_assert_cu(cuMemGetAddressRange(&base, &size, ptr),
		     CUDA_ERROR_NOT_FOUND);
	ck_assert_cu(
		cuPointerGetAttribute(
			&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, ptr),
		CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_mapped_address_tells_its_reservation)
{
	CUdeviceptr ptr, start;
	size_t size;

	open_all();
	ptr = reserve(4 * step);
	ck_assert_ok(cuMemMap(ptr + step, step, 0, create(step), 0));
	ck_assert_ok(cuPointerGetAttribute(
		&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, ptr + step + 9));
	ck_assert_ok(cuPointerGetAttribute(
		&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, ptr + step + 9));
	ck_assert_uint_eq(start, ptr);
	ck_assert_uint_eq(size, 4 * step);
}
END_TEST

START_TEST(a_mapping_starts_without_access)
{
	CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
	unsigned long long flags = 9;
	CUdeviceptr ptr, base = 9;
	unsigned char byte = 1;
	size_t size = 9;

	open_all();
	ptr = reserve(step);
	ck_assert_ok(cuMemMap(ptr, step, 0, create(step), 0));
	ck_assert_ok(cuMemGetAccess(&flags, &here, ptr));
	ck_assert_uint_eq(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
	ck_assert(cuMemcpyHtoD(ptr, &byte, 1));
	ck_assert_cu(cuMemGetAddressRange(&base, &size, ptr + step - 1),
		     CUDA_ERROR_NOT_FOUND);
	ck_assert_uint_eq(base, 0);
	ck_assert_uint_eq(size, 0);
	ck_assert_ok(allow(ptr, step));
	ck_assert_ok(cuMemGetAccess(&flags, &here, ptr + 1));
	ck_assert_uint_eq(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	ck_assert_ok(cuMemcpyHtoD(ptr, &byte, 1));
}
END_TEST

START_TEST(access_starts_anew_with_each_mapping)
{
	unsigned char byte = 1;
	CUdeviceptr ptr;

	open_all();
	ptr = mapped(step);
	ck_assert_ok(cuMemUnmap(ptr, step));
	ck_assert(cuMemcpyHtoD(ptr, &byte, 1));
	ck_assert_ok(cuMemMap(ptr, step, 0, create(step), 0));
	ck_assert(cuMemcpyHtoD(ptr, &byte, 1));
}
END_TEST

START_TEST(a_mapping_is_unmapped_whole)
{
	CUdeviceptr ptr;

	open_all();
	ptr = mapped(2 * step);
	ck_assert_cu(cuMemUnmap(ptr, step), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemUnmap(ptr + step, step), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemUnmap(ptr, 2 * step));
}
END_TEST

START_TEST(unmapping_passes_over_what_is_not_mapped)
{
	unsigned char byte = 1;
	CUdeviceptr ptr;

	open_all();
	ptr = reserve(8 * step);
	map(ptr, step, create(step));
	map(ptr + 4 * step, step, create(step));
	ck_assert_ok(cuMemUnmap(ptr + step, step));
	ck_assert_ok(cuMemUnmap(ptr, 8 * step));
	ck_assert(cuMemcpyHtoD(ptr, &byte, 1));
	ck_assert(cuMemcpyHtoD(ptr + 4 * step, &byte, 1));
	ck_assert_ok(cuMemUnmap(ptr, 8 * step));
	ck_assert_ok(cuMemAddressFree(ptr, 8 * step));
}
END_TEST

START_TEST(unmapping_waits_for_no_work)
{
	CUdeviceptr ptr;
	CUstream stream;

	open_all();
	ptr = mapped(step);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	claims_hold(stream);
	ck_assert_ok(cuMemUnmap(ptr, step));
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

/* The call succeeds, and what lies behind the hole has no access. */
START_TEST(access_is_set_up_to_the_first_hole)
{
	unsigned char byte = 1;
	CUdeviceptr ptr;

	open_all();
	ptr = reserve(4 * step);
	ck_assert_ok(cuMemMap(ptr, step, 0, create(step), 0));
	ck_assert_ok(cuMemMap(ptr + 2 * step, step, 0, create(step), 0));
	ck_assert_cu(allow(ptr, 4 * step), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(allow(ptr, 3 * step));
	ck_assert_ok(cuMemcpyHtoD(ptr, &byte, 1));
	ck_assert(cuMemcpyHtoD(ptr + 2 * step, &byte, 1));
}
END_TEST

START_TEST(an_address_is_mapped_once)
{
	CUmemGenericAllocationHandle handle;
	CUdeviceptr ptr;

	open_all();
	handle = create(step);
	ptr = reserve(2 * step);
	map(ptr, step, handle);
	ck_assert_cu(cuMemMap(ptr, step, 0, handle, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(memory_is_mapped_whole)
{
	CUmemGenericAllocationHandle handle;
	CUdeviceptr ptr;

	open_all();
	handle = create(2 * step);
	ptr = reserve(4 * step);
	ck_assert_cu(cuMemMap(ptr, 4 * step, 0, handle, 0),
		     CUDA_ERROR_NOT_SUPPORTED);
	ck_assert_cu(cuMemMap(ptr, step, 0, handle, 0),
		     CUDA_ERROR_NOT_SUPPORTED);
	ck_assert_cu(cuMemMap(ptr, step, step, handle, 0),
		     CUDA_ERROR_NOT_SUPPORTED);
	map(ptr, 2 * step, handle);
}
END_TEST

START_TEST(sizes_are_multiples_of_the_granularity)
{
	CUmemAllocationProp want = prop();
	CUmemGenericAllocationHandle handle;

	open_all();
	ck_assert_cu(cuMemCreate(&handle, step + 1, &want, 0),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemCreate(&handle, 0, &want, 0),
		     CUDA_ERROR_INVALID_VALUE);
	handle = 7;
	ck_assert_cu(cuMemCreate(&handle, step << 30, &want, 0),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(handle, 7);
}
END_TEST

START_TEST(addresses_are_freed_whole_and_when_nothing_is_mapped)
{
	CUdeviceptr ptr;

	open_all();
	ptr = mapped(2 * step);
	ck_assert_cu(cuMemAddressFree(ptr, 2 * step), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemUnmap(ptr, 2 * step));
	ck_assert_cu(cuMemAddressFree(ptr, step), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemAddressFree(ptr, 2 * step));
}
END_TEST

START_TEST(an_address_tells_its_handle)
{
	CUmemGenericAllocationHandle handle, seen;
	CUmemAllocationProp prop;
	CUdeviceptr ptr;

	open_all();
	handle = create(step);
	ptr = reserve(2 * step);
	map(ptr, step, handle);
	ck_assert_ok(cuMemRetainAllocationHandle(&seen, (void *)(ptr + 9)));
	ck_assert_uint_eq(seen, handle);
	ck_assert_ok(cuMemGetAllocationPropertiesFromHandle(&prop, seen));
	ck_assert_int_eq(prop.location.id, 0);
	ck_assert_ok(cuMemRelease(seen));
	ck_assert_ok(cuMemRelease(handle));
	ck_assert_cu(cuMemRetainAllocationHandle(&seen, (void *)(ptr + step)),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(mapped_memory_is_not_cuMemFrees)
{
	CUipcMemHandle handle;
	CUdeviceptr ptr;

	open_all();
	ptr = mapped(step);
	ck_assert_cu(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuIpcGetMemHandle(&handle, ptr), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		granularity_is_a_power_of_two,
		mapped_memory_is_as_good_as_any,
		one_handle_at_two_addresses_is_one_memory,
		mappings_side_by_side_are_one_piece,
		memory_goes_back_with_its_last_holder,
		reserved_addresses_have_no_memory,
		a_mapped_address_tells_its_reservation,
		a_mapping_starts_without_access,
		access_starts_anew_with_each_mapping,
		a_mapping_is_unmapped_whole,
		unmapping_passes_over_what_is_not_mapped,
		unmapping_waits_for_no_work,
		access_is_set_up_to_the_first_hole,
		an_address_is_mapped_once,
		memory_is_mapped_whole,
		sizes_are_multiples_of_the_granularity,
		addresses_are_freed_whole_and_when_nothing_is_mapped,
		an_address_tells_its_handle,
		mapped_memory_is_not_cuMemFrees,
		NULL,
	};

	return claims_run("vmm", tests);
}
