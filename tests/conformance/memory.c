#include "claims.h"

#include <stdint.h>

START_TEST(alloc_needs_a_context)
{
	CUdeviceptr ptr = 1, ordered = 1;

	ck_assert_ok(cuInit(0));
	ck_assert_cu(cuMemAlloc(&ptr, 64), CUDA_ERROR_INVALID_CONTEXT);
	ck_assert_uint_eq(ptr, 0);
	ck_assert_cu(cuMemAllocAsync(&ordered, 64, NULL),
		     CUDA_ERROR_INVALID_CONTEXT);
	ck_assert_uint_eq(ordered, 0);
}
END_TEST

START_TEST(alloc_of_nothing_is_invalid)
{
	CUdeviceptr ptr = 1;

	claims_open();
	ck_assert_cu(cuMemAlloc(&ptr, 0), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemAlloc(NULL, 64), CUDA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(ptr, 0);
}
END_TEST

START_TEST(blocks_are_aligned_and_apart)
{
	CUdeviceptr ptrs[64];

	claims_open();
	for (int i = 0; i < 64; i++) {
		ck_assert_ok(cuMemAlloc(&ptrs[i], 1 + 300 * i));
		ck_assert_uint_eq(ptrs[i] % 256, 0);
	}
	for (int i = 0; i < 64; i++)
		for (int k = 0; k < i; k++)
			ck_assert(ptrs[i] + 1 + 300 * i <= ptrs[k] ||
				  ptrs[k] + 1 + 300 * k <= ptrs[i]);
}
END_TEST

START_TEST(alloc_past_the_device_is_out_of_memory)
{
	size_t free_bytes, total;
	CUdeviceptr ptr = 1;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&free_bytes, &total));
	ck_assert_cu(cuMemAlloc(&ptr, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
	ptr = 1;
	ck_assert_cu(cuMemAlloc(&ptr, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
}
END_TEST

START_TEST(alloc_in_a_capture_yields_no_address)
{
	CUdeviceptr ptr = 1;
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_cu(cuMemAlloc(&ptr, 1 << 20),
		     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	ck_assert_uint_eq(ptr, 0);
}
END_TEST

START_TEST(a_refused_managed_alloc_yields_no_address)
{
	CUdeviceptr ptr = 1;

	claims_open();
	ck_assert_cu(cuMemAllocManaged(&ptr, 1 << 20, 77),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(ptr, 0);
	ptr = 1;
	ck_assert_cu(cuMemAllocManaged(&ptr, 0, CU_MEM_ATTACH_GLOBAL),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(ptr, 0);
	ptr = 1;
	ck_assert_cu(
		cuMemAllocManaged(&ptr, (size_t)1 << 50, CU_MEM_ATTACH_GLOBAL),
		CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
}
END_TEST

static void pitch_refuses(size_t width, size_t rows, unsigned element)
{
	CUdeviceptr ptr = 1;
	size_t pitch = 7;

	ck_assert_cu(cuMemAllocPitch(&ptr, &pitch, width, rows, element),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_uint_eq(ptr, 0);
	ck_assert_uint_eq(pitch, 0);
}

START_TEST(a_shape_that_is_none_has_no_pitch)
{
	claims_open();
	pitch_refuses(0, 1, 4);
	pitch_refuses(8, 4, 3);
}
END_TEST

START_TEST(the_pitch_is_told_even_if_there_is_no_room)
{
	CUdeviceptr ptr = 1;
	size_t pitch = 7;

	claims_open();
	ck_assert_cu(cuMemAllocPitch(&ptr, &pitch, (size_t)1 << 40, 1024, 4),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
	ck_assert_uint_eq(pitch, (size_t)1 << 40);
}
END_TEST

START_TEST(a_device_full_of_blocks_is_out_of_memory)
{
	const size_t size = (size_t)1 << 30;
	size_t free_bytes, total, count = 0;
	CUdeviceptr ptr;
	CUresult res;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&free_bytes, &total));
	while (!(res = cuMemAlloc(&ptr, size)))
		count++;
	ck_assert_cu(res, CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_le(count, free_bytes / size);
}
END_TEST

START_TEST(what_is_freed_can_be_allocated_again)
{
	size_t free_bytes, total;
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&free_bytes, &total));
	for (int i = 0; i < 4; i++) {
		ck_assert_ok(cuMemAlloc(&ptr, free_bytes / 4 * 3));
		ck_assert_ok(cuMemFree(ptr));
	}
}
END_TEST

START_TEST(free_gives_back_what_a_large_block_took)
{
	size_t before, during, after, total;
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&before, &total));
	ck_assert_ok(cuMemAlloc(&ptr, 64 << 20));
	ck_assert_ok(cuMemGetInfo(&during, NULL));
	ck_assert_ok(cuMemFree(ptr));
	ck_assert_ok(cuMemGetInfo(&after, NULL));
	ck_assert_uint_le(during + (64 << 20), before);
	ck_assert_uint_eq(after, before);
}
END_TEST

START_TEST(a_block_is_freed_once)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 8 << 20));
	ck_assert_ok(cuMemFree(ptr));
	ck_assert_cu(cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(a_block_is_freed_by_its_base)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 8 << 20));
	ck_assert_cu(cuMemFree(ptr + 4096), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

START_TEST(host_memory_is_not_the_devices_to_free)
{
	int here;

	claims_open();
	ck_assert_cu(cuMemFree((CUdeviceptr)&here), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(free_of_null_succeeds)
{
	claims_open();
	ck_assert_ok(cuMemFree(0));
}
END_TEST

START_TEST(info_may_be_asked_in_parts)
{
	size_t free_bytes, total;

	claims_open();
	ck_assert_ok(cuMemGetInfo(NULL, NULL));
	ck_assert_ok(cuMemGetInfo(&free_bytes, NULL));
	ck_assert_ok(cuMemGetInfo(NULL, &total));
	ck_assert_uint_le(free_bytes, total);
}
END_TEST

START_TEST(range_of_an_inner_address_is_its_block)
{
	CUdeviceptr ptr, base;
	size_t size;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 8 << 20));
	ck_assert_ok(cuMemGetAddressRange(&base, &size, ptr + 5000));
	ck_assert_uint_eq(base, ptr);
	ck_assert_uint_eq(size, 8 << 20);
	ck_assert_ok(cuMemGetAddressRange(NULL, NULL, ptr));
}
END_TEST

START_TEST(range_of_a_small_block_is_its_own)
{
	CUdeviceptr ptr, other, base;
	size_t size;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 3000));
	ck_assert_ok(cuMemAlloc(&other, 3000));
	ck_assert_ok(cuMemGetAddressRange(&base, &size, other + 2999));
	ck_assert_uint_eq(base, other);
	ck_assert_uint_eq(size, 3000);
}
END_TEST

START_TEST(range_of_a_freed_block_is_not_found)
{
	CUdeviceptr ptr, base;
	size_t size;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64 << 20));
	ck_assert_ok(cuMemFree(ptr));
	ck_assert_cu(cuMemGetAddressRange(&base, &size, ptr),
		     CUDA_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(pitch_holds_a_row_and_is_aligned)
{
	CUdeviceptr ptr;
	size_t pitch;

	claims_open();
	ck_assert_ok(cuMemAllocPitch(&ptr, &pitch, 1000, 37, 4));
	ck_assert_uint_ge(pitch, 1000);
	ck_assert_uint_eq(pitch % 32, 0);
	ck_assert_cu(cuMemAllocPitch(&ptr, &pitch, 1000, 37, 3),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(free_waits_for_the_work_of_the_device)
{
	CUdeviceptr ptr;
	CUstream stream;
	CUevent event;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64 << 20));
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	ck_assert_ok(cuMemsetD8Async(ptr, 1, 64 << 20, stream));
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_ok(cuMemFree(ptr));
	ck_assert_ok(cuEventQuery(event));
}
END_TEST

START_TEST(a_free_of_managed_memory_waits_as_well)
{
	CUdeviceptr ptr;
	CUstream stream;

	claims_open();
	ck_assert_ok(cuMemAllocManaged(&ptr, 1 << 20, CU_MEM_ATTACH_GLOBAL));
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	claims_hold(stream);
	claims_release_later();
	ck_assert_ok(cuMemFree(ptr));
	ck_assert_ok(cuStreamQuery(stream));
}
END_TEST

START_TEST(what_takes_memory_waits_for_no_work)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr small, large, managed;
	CUstream held, stream;
	void *host;

	claims_open();
	held = claims_stream(CU_STREAM_NON_BLOCKING);
	claims_hold(held);
	ck_assert_ok(cuMemAlloc(&small, 4096));
	ck_assert_ok(cuMemAlloc(&large, 64 << 20));
	ck_assert_ok(
		cuMemAllocManaged(&managed, 1 << 20, CU_MEM_ATTACH_GLOBAL));
	ck_assert_ok(cuMemHostAlloc(&host, 1 << 20, 0));
	ck_assert_ok(cuMemCreate(&handle, 8 << 20, &prop, 0));
	ck_assert_ok(cuMemRelease(handle));
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuStreamDestroy(stream));
	ck_assert_ok(cuMemGetInfo(NULL, NULL));
	ck_assert_cu(cuStreamQuery(held), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
}
END_TEST

START_TEST(managed_memory_is_seen_by_both_sides)
{
	CUdeviceptr ptr;
	int *numbers;

	claims_open();
	ck_assert_ok(cuMemAllocManaged(&ptr, 4096, CU_MEM_ATTACH_GLOBAL));
	numbers = (int *)ptr;
	numbers[0] = 7;
	ck_assert_ok(cuMemsetD32(ptr + 4, 8, 1));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(numbers[0], 7);
	ck_assert_int_eq(numbers[1], 8);
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		alloc_needs_a_context,
		alloc_of_nothing_is_invalid,
		blocks_are_aligned_and_apart,
		alloc_past_the_device_is_out_of_memory,
		alloc_in_a_capture_yields_no_address,
		a_refused_managed_alloc_yields_no_address,
		a_shape_that_is_none_has_no_pitch,
		the_pitch_is_told_even_if_there_is_no_room,
		a_device_full_of_blocks_is_out_of_memory,
		what_is_freed_can_be_allocated_again,
		free_gives_back_what_a_large_block_took,
		a_block_is_freed_once,
		a_block_is_freed_by_its_base,
		host_memory_is_not_the_devices_to_free,
		free_of_null_succeeds,
		info_may_be_asked_in_parts,
		range_of_an_inner_address_is_its_block,
		range_of_a_small_block_is_its_own,
		range_of_a_freed_block_is_not_found,
		pitch_holds_a_row_and_is_aligned,
		free_waits_for_the_work_of_the_device,
		a_free_of_managed_memory_waits_as_well,
		what_takes_memory_waits_for_no_work,
		managed_memory_is_seen_by_both_sides,
		NULL,
	};

	return claims_run("memory", tests);
}
