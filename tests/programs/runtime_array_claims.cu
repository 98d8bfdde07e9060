/* What the CUDA runtime promises about arrays, and what it says of memory
 * pools. It is true of NVIDIA's runtime and of the simulated one. */
#include <string.h>

#include "claims.h"

enum { WIDTH = 50, ROWS = 20 };

static cudaArray_t array_new(void)
{
	struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<float2>();
	cudaArray_t array;

	ck_assert_success(cudaMallocArray(&array, &desc, WIDTH, ROWS));
	return array;
}

START_TEST(an_array_tells_its_channels_and_extent)
{
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent;
	unsigned flags = 9;
	cudaArray_t array = array_new();

	ck_assert_success(cudaArrayGetInfo(&desc, &extent, &flags, array));
	ck_assert_int_eq(desc.x, 32);
	ck_assert_int_eq(desc.y, 32);
	ck_assert_int_eq(desc.z, 0);
	ck_assert_int_eq(desc.f, cudaChannelFormatKindFloat);
	ck_assert_uint_eq(extent.width, WIDTH);
	ck_assert_uint_eq(extent.height, ROWS);
	ck_assert_uint_eq(extent.depth, 0);
	ck_assert_uint_eq(flags, 0);
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

START_TEST(rows_go_into_an_array_and_out)
{
	float2 in[ROWS][WIDTH], out[ROWS][WIDTH];
	size_t row = sizeof(in[0]);
	cudaArray_t array = array_new();

	for (int y = 0; y < ROWS; y++)
		for (int x = 0; x < WIDTH; x++)
			in[y][x] = make_float2(x, y);
	memset(out, 0, sizeof(out));
	ck_assert_success(cudaMemcpy2DToArray(array, 0, 0, in, row, row, ROWS,
					      cudaMemcpyHostToDevice));
	ck_assert_success(cudaMemcpy2DFromArray(out, row, array, 0, 0, row,
						ROWS, cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(in, out, sizeof(in));
}
END_TEST

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

START_TEST(bytes_go_into_an_array_row_by_row)
{
	float2 in[3 * WIDTH], out[3 * WIDTH];
	const size_t row = WIDTH * sizeof(*in), start = 7 * sizeof(*in);
	const size_t bytes = sizeof(in) - 2 * start;
	cudaArray_t array = array_new(), other = array_new();

	for (int i = 0; i < 3 * WIDTH; i++)
		in[i] = make_float2(i, -i);
	memset(out, 0, sizeof(out));
	/* From the middle of row 2 to the middle of row 4. */
	ck_assert_success(cudaMemcpyToArray(array, start, 2, in + 7, bytes,
					    cudaMemcpyHostToDevice));
	ck_assert_success(cudaMemcpyArrayToArray(other, 2 * start, 5, array,
						 start, 2, bytes));
	ck_assert_success(cudaMemcpyFromArray(out + 7, other, 2 * start, 5,
					      bytes, cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(in + 7, out + 7, bytes);
	ck_assert_success(cudaMemcpy2DFromArray(out, row, array, 0, 3, row, 1,
						cudaMemcpyDeviceToHost));
	ck_assert_mem_eq(in + WIDTH, out, row);
}
END_TEST

START_TEST(an_extent_counts_elements_where_there_is_an_array)
{
	float2 in[ROWS][WIDTH], out[ROWS][WIDTH];
	struct cudaMemcpy3DParms copy = {};

	memset(in, 5, sizeof(in));
	memset(out, 0, sizeof(out));
	copy.srcPtr = make_cudaPitchedPtr(in, sizeof(in[0]), WIDTH, ROWS);
	copy.dstArray = array_new();
	copy.extent = make_cudaExtent(WIDTH, ROWS, 1);
	copy.kind = cudaMemcpyHostToDevice;
	ck_assert_success(cudaMemcpy3D(&copy));
	ck_assert_success(cudaMemcpy2DFromArrayAsync(
		out, sizeof(out[0]), copy.dstArray, 0, 0, sizeof(out[0]), ROWS,
		cudaMemcpyDeviceToHost, 0));
	ck_assert_success(cudaStreamSynchronize(0));
	ck_assert_mem_eq(in, out, sizeof(in));
}
END_TEST

START_TEST(a_box_goes_from_pointer_to_pointer)
{
	char in[4][6][8], out[4][6][8] = {};
	struct cudaExtent extent = make_cudaExtent(8, 6, 4);
	struct cudaMemcpy3DParms copy = {}, back = {};

	memset(in, 3, sizeof(in));
	ck_assert_success(cudaMalloc3D(&copy.dstPtr, extent));
	copy.srcPtr = make_cudaPitchedPtr(in, 8, 8, 6);
	copy.extent = extent;
	copy.kind = cudaMemcpyHostToDevice;
	back.srcPtr = copy.dstPtr;
	back.dstPtr = make_cudaPitchedPtr(out, 8, 8, 6);
	back.extent = extent;
	back.kind = cudaMemcpyDeviceToHost;
	ck_assert_success(cudaMemcpy3D(&copy));
	ck_assert_success(cudaMemcpy3D(&back));
	ck_assert_mem_eq(in, out, sizeof(in));
}
END_TEST

START_TEST(levels_of_a_mipmapped_array_halve)
{
	struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	struct cudaExtent extent = make_cudaExtent(64, 32, 0);
	cudaMipmappedArray_t many;
	cudaArray_t level;

	ck_assert_success(cudaMallocMipmappedArray(&many, &desc, extent, 3));
	ck_assert_success(cudaGetMipmappedArrayLevel(&level, many, 2));
	ck_assert_success(cudaArrayGetInfo(NULL, &extent, NULL, level));
	ck_assert_uint_eq(extent.width, 16);
	ck_assert_uint_eq(extent.height, 8);
	ck_assert_success(cudaFreeMipmappedArray(many));
}
END_TEST

START_TEST(freeing_no_array_succeeds)
{
	ck_assert_success(cudaFreeArray(NULL));
	ck_assert_success(cudaFreeMipmappedArray(NULL));
}
END_TEST

START_TEST(a_pool_serves_in_a_stream)
{
	struct cudaMemPoolProps props = {};
	cudaMemPool_t pool;
	void *ptr;

	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	ck_assert_success(cudaMemPoolCreate(&pool, &props));
	ck_assert_success(cudaMallocFromPoolAsync(&ptr, 1 << 20, pool, 0));
	ck_assert_success(cudaFreeAsync(ptr, 0));
	ck_assert_success(cudaStreamSynchronize(0));
	ck_assert_success(cudaMemPoolDestroy(pool));
}
END_TEST

START_TEST(a_box_goes_from_device_to_device)
{
	struct cudaMemcpy3DPeerParms params = {};
	int in[4] = {1, 2, 3, 4}, out[4] = {};
	void *src, *dst;

	ck_assert_success(cudaMalloc(&src, sizeof(in)));
	ck_assert_success(cudaMalloc(&dst, sizeof(in)));
	ck_assert_success(
		cudaMemcpy(src, in, sizeof(in), cudaMemcpyHostToDevice));
	params.srcPtr = make_cudaPitchedPtr(src, sizeof(in), sizeof(in), 1);
	params.dstPtr = make_cudaPitchedPtr(dst, sizeof(in), sizeof(in), 1);
	params.extent = make_cudaExtent(sizeof(in), 1, 1);
	ck_assert_success(cudaMemcpy3DPeer(&params));
	ck_assert_success(
		cudaMemcpy(out, dst, sizeof(out), cudaMemcpyDeviceToHost));
	ck_assert_int_eq(out[3], 4);
	ck_assert_success(cudaFree(src));
	ck_assert_success(cudaFree(dst));
}
END_TEST

START_TEST(a_batch_copies_all)
{
	struct cudaMemcpyAttributes attributes = {};
	int in[2] = {7, 8}, out[2] = {};
	char *memory;
	cudaStream_t stream;
	size_t sizes[2] = {sizeof(int), sizeof(int)}, first[1] = {0};
	void *dsts[2];
	const void *srcs[2] = {&in[0], &in[1]};

	ck_assert_success(cudaStreamCreate(&stream));
	ck_assert_success(cudaMalloc((void **)&memory, 4096));
	dsts[0] = memory;
	dsts[1] = memory + 1024;
	attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	ck_assert_success(cudaMemcpyBatchAsync(dsts, srcs, sizes, 2,
					       &attributes, first, 1, stream));
	ck_assert_success(cudaStreamSynchronize(stream));
	ck_assert_success(cudaMemcpy(&out[0], memory, sizeof(int),
				     cudaMemcpyDeviceToHost));
	ck_assert_success(cudaMemcpy(&out[1], memory + 1024, sizeof(int),
				     cudaMemcpyDeviceToHost));
	ck_assert_int_eq(out[0], 7);
	ck_assert_int_eq(out[1], 8);
	ck_assert_success(cudaFree(memory));
	ck_assert_success(cudaStreamDestroy(stream));
}
END_TEST

static const TTest *const tests[] = {
	an_array_tells_its_channels_and_extent,
	rows_go_into_an_array_and_out,
	bytes_go_into_an_array_row_by_row,
	an_extent_counts_elements_where_there_is_an_array,
	a_box_goes_from_pointer_to_pointer,
	levels_of_a_mipmapped_array_halve,
	freeing_no_array_succeeds,
	a_pool_serves_in_a_stream,
	a_box_goes_from_device_to_device,
	a_batch_copies_all,
	NULL,
};

int main(void)
{
	return claims_run("runtime array", tests);
}
