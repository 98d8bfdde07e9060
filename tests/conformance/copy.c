#include "claims.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000 };

static void fill(int *numbers, int first)
{
	for (int i = 0; i < COUNT; i++)
		numbers[i] = first + i;
}

START_TEST(what_goes_in_comes_out)
{
	int in[COUNT], out[COUNT];
	CUdeviceptr ptr, other;

	claims_open();
	fill(in, 1);
	ck_assert_ok(cuMemAlloc(&ptr, sizeof(in)));
	ck_assert_ok(cuMemAlloc(&other, sizeof(in)));
	ck_assert_ok(cuMemcpyHtoD(ptr, in, sizeof(in)));
	ck_assert_ok(cuMemcpyDtoD(other, ptr, sizeof(in)));
	ck_assert_ok(cuMemcpyDtoH(out, other, sizeof(in)));
	ck_assert_mem_eq(in, out, sizeof(in));
}
END_TEST

START_TEST(generic_copy_knows_both_sides)
{
	int in[COUNT], out[COUNT];
	CUdeviceptr ptr;

	claims_open();
	fill(in, 7);
	ck_assert_ok(cuMemAlloc(&ptr, sizeof(in)));
	ck_assert_ok(cuMemcpy(ptr, (CUdeviceptr)in, sizeof(in)));
	ck_assert_ok(cuMemcpy((CUdeviceptr)out, ptr, sizeof(in)));
	ck_assert_mem_eq(in, out, sizeof(in));
}
END_TEST

START_TEST(pageable_source_may_change_after_an_async_copy)
{
	int in[COUNT], out[COUNT], want[COUNT];
	CUdeviceptr ptr;
	CUstream stream;

	claims_open();
	fill(in, 1);
	fill(want, 1);
	ck_assert_ok(cuMemAlloc(&ptr, sizeof(in)));
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuMemcpyHtoDAsync(ptr, in, sizeof(in), stream));
	memset(in, 0, sizeof(in));
	ck_assert_ok(cuMemcpyDtoHAsync(out, ptr, sizeof(in), stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_mem_eq(want, out, sizeof(in));
}
END_TEST

START_TEST(pinned_copies_run_in_stream_order)
{
	CUdeviceptr ptr;
	CUstream stream;
	int *host;

	claims_open();
	ck_assert_ok(cuMemAllocHost((void **)&host, sizeof(int) * COUNT));
	ck_assert_ok(cuMemAlloc(&ptr, sizeof(int) * COUNT));
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	fill(host, 3);
	ck_assert_ok(cuMemcpyHtoDAsync(ptr, host, sizeof(int) * COUNT, stream));
	ck_assert_ok(cuMemsetD32Async(ptr, 1, COUNT / 2, stream));
	ck_assert_ok(cuMemcpyDtoHAsync(host, ptr, sizeof(int) * COUNT, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(host[0], 1);
	ck_assert_int_eq(host[COUNT - 1], 3 + COUNT - 1);
}
END_TEST

START_TEST(copy_of_nothing_succeeds)
{
	CUdeviceptr ptr;
	int here;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64));
	ck_assert_ok(cuMemcpyHtoD(ptr, &here, 0));
}
END_TEST

START_TEST(copy_to_what_is_no_devices_is_invalid)
{
	CUdeviceptr ptr;
	int here = 0, there;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64));
	ck_assert_cu(cuMemcpyHtoD((CUdeviceptr)&there, &here, sizeof(here)),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(copy_past_a_large_block_is_invalid)
{
	const size_t size = 64 << 20;
	CUdeviceptr ptr;
	char *host = malloc(size + 4096);

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, size));
	ck_assert_cu(cuMemcpyDtoH(host, ptr, size + 4096),
		     CUDA_ERROR_INVALID_VALUE);
	free(host);
}
END_TEST

START_TEST(rectangle_keeps_what_is_around_it)
{
	unsigned char in[4 * 8], out[16 * 8], want[16 * 8];
	CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = in,
			      .srcPitch = 4,
			      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstXInBytes = 3,
			      .dstY = 2,
			      .dstPitch = 16,
			      .WidthInBytes = 4,
			      .Height = 5};

	claims_open();
	ck_assert_ok(cuMemAlloc(&copy.dstDevice, sizeof(out)));
	ck_assert_ok(cuMemsetD8(copy.dstDevice, 0xee, sizeof(out)));
	memset(want, 0xee, sizeof(want));
	for (int i = 0; i < 4 * 8; i++)
		in[i] = i;
	for (int y = 0; y < 5; y++)
		memcpy(want + (y + 2) * 16 + 3, in + y * 4, 4);
	ck_assert_ok(cuMemcpy2D(&copy));
	ck_assert_ok(cuMemcpyDtoH(out, copy.dstDevice, sizeof(out)));
	ck_assert_mem_eq(out, want, sizeof(out));
}
END_TEST

START_TEST(box_copies_slice_by_slice)
{
	unsigned char in[2 * 3 * 4], out[sizeof(in)];
	CUDA_MEMCPY3D to = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			    .srcHost = in,
			    .srcPitch = 4,
			    .srcHeight = 3,
			    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			    .dstPitch = 8,
			    .dstHeight = 5,
			    .WidthInBytes = 4,
			    .Height = 3,
			    .Depth = 2};
	CUDA_MEMCPY3D back = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			      .srcPitch = 8,
			      .srcHeight = 5,
			      .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .dstHost = out,
			      .dstPitch = 4,
			      .dstHeight = 3,
			      .WidthInBytes = 4,
			      .Height = 3,
			      .Depth = 2};

	claims_open();
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = i * 3;
	ck_assert_ok(cuMemAlloc(&to.dstDevice, 8 * 5 * 2));
	back.srcDevice = to.dstDevice;
	ck_assert_ok(cuMemcpy3D(&to));
	ck_assert_ok(cuMemcpy3D(&back));
	ck_assert_mem_eq(in, out, sizeof(in));
}
END_TEST

START_TEST(a_batch_runs_in_its_streams_order)
{
	CUmemcpyAttributes attributes = {
		.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
	CUDA_MEMCPY3D_BATCH_OP box = {
		.extent = {8, 2, 1},
		.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
	size_t sizes[2] = {16, 8}, first = 0;
	unsigned char out[16];
	CUdeviceptr from[2], to[2];
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	for (int i = 0; i < 2; i++) {
		ck_assert_ok(cuMemAlloc(&from[i], 16));
		ck_assert_ok(cuMemAlloc(&to[i], 16));
		ck_assert_ok(cuMemsetD8Async(from[i], 5 + i, 16, stream));
		ck_assert_ok(cuMemsetD8Async(to[i], 0, 16, stream));
	}
	ck_assert_ok(cuMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first,
					1, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuMemcpyDtoH(out, to[1], 16));
	ck_assert(out[7] == 6 && out[8] == 0);
	box.src.type = box.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
	box.src.op.ptr.ptr = to[0];
	box.dst.op.ptr.ptr = to[1];
	ck_assert_ok(cuMemcpy3DBatchAsync(1, &box, 0, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuMemcpyDtoH(out, to[1], 16));
	ck_assert(out[0] == 5 && out[15] == 5);
}
END_TEST

START_TEST(a_batch_without_attributes_or_a_stream_is_invalid)
{
	CUmemcpyAttributes attributes = {
		.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
	size_t size = 16, first = 0;
	CUdeviceptr from, to;
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuMemAlloc(&from, 16));
	ck_assert_ok(cuMemAlloc(&to, 16));
	ck_assert_cu(cuMemcpyBatchAsync(&to, &from, &size, 1, &attributes,
					&first, 0, stream),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemcpyBatchAsync(&to, &from, &size, 1, &attributes,
					&first, 1, NULL),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		what_goes_in_comes_out,
		generic_copy_knows_both_sides,
		pageable_source_may_change_after_an_async_copy,
		pinned_copies_run_in_stream_order,
		copy_of_nothing_succeeds,
		copy_to_what_is_no_devices_is_invalid,
		copy_past_a_large_block_is_invalid,
		rectangle_keeps_what_is_around_it,
		box_copies_slice_by_slice,
		a_batch_runs_in_its_streams_order,
		a_batch_without_attributes_or_a_stream_is_invalid,
		NULL,
	};

	return claims_run("copy", tests);
}
