#include "claims.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, ROWS = 60, SLICES = 5 }; /* floats */

static CUarray array_new(size_t width, size_t height, size_t depth,
			 unsigned flags)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = width,
					 .Height = height,
					 .Depth = depth,
					 .Format = CU_AD_FORMAT_FLOAT,
					 .NumChannels = 1,
					 .Flags = flags};
	CUarray array;

	ck_assert_ok(cuArray3DCreate(&array, &shape));
	return array;
}

/* Describes a copy of one row in the middle of an array, to or from a row of
 * the host's. */
static CUDA_MEMCPY2D row_of(CUarray array, void *host, int to_array)
{
	CUDA_MEMCPY2D copy = {.WidthInBytes = 10 * sizeof(float), .Height = 1};

	if (to_array) {
		copy.srcMemoryType = CU_MEMORYTYPE_HOST;
		copy.srcHost = host;
		copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
		copy.dstArray = array;
		copy.dstXInBytes = 4 * sizeof(float);
		copy.dstY = 7;
	} else {
		copy.dstMemoryType = CU_MEMORYTYPE_HOST;
		copy.dstHost = host;
		copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
		copy.srcArray = array;
		copy.srcXInBytes = 4 * sizeof(float);
		copy.srcY = 7;
	}
	return copy;
}

START_TEST(an_array_tells_its_shape)
{
	CUDA_ARRAY_DESCRIPTOR flat = {WIDTH, ROWS, CU_AD_FORMAT_HALF, 4};
	CUDA_ARRAY_DESCRIPTOR seen;
	CUDA_ARRAY3D_DESCRIPTOR deep;
	CUarray array;

	claims_open();
	ck_assert_ok(cuArrayCreate(&array, &flat));
	ck_assert_ok(cuArrayGetDescriptor(&seen, array));
	ck_assert_uint_eq(seen.Width, WIDTH);
	ck_assert_uint_eq(seen.Height, ROWS);
	ck_assert_int_eq(seen.Format, CU_AD_FORMAT_HALF);
	ck_assert_uint_eq(seen.NumChannels, 4);
	ck_assert_ok(cuArray3DGetDescriptor(&deep, array));
	ck_assert_uint_eq(deep.Depth, 0);
	ck_assert_ok(cuArrayDestroy(array));
}
END_TEST

START_TEST(what_is_copied_in_comes_out)
{
	float row[10], seen[10] = {0};
	CUDA_MEMCPY2D in, out;
	CUarray array;

	claims_open();
	array = array_new(WIDTH, ROWS, 0, 0);
	for (int i = 0; i < 10; i++)
		row[i] = (float)i;
	in = row_of(array, row, 1);
	out = row_of(array, seen, 0);
	ck_assert_ok(cuMemcpy2D(&in));
	ck_assert_ok(cuMemcpy2D(&out));
	ck_assert_mem_eq(row, seen, sizeof(row));
}
END_TEST

START_TEST(a_box_goes_through_a_3d_array)
{
	size_t bytes = (size_t)WIDTH * ROWS * SLICES * sizeof(float);
	unsigned char *in = malloc(bytes), *out = calloc(1, bytes);
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			      .srcHost = in,
			      .srcPitch = WIDTH * sizeof(float),
			      .srcHeight = ROWS,
			      .dstMemoryType = CU_MEMORYTYPE_ARRAY,
			      .WidthInBytes = WIDTH * sizeof(float),
			      .Height = ROWS,
			      .Depth = SLICES};
	CUDA_MEMCPY3D back = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
			      .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .dstHost = out,
			      .dstPitch = WIDTH * sizeof(float),
			      .dstHeight = ROWS,
			      .WidthInBytes = WIDTH * sizeof(float),
			      .Height = ROWS,
			      .Depth = SLICES};

	claims_open();
	for (size_t i = 0; i < bytes; i++)
		in[i] = (unsigned char)(i * 7 + i / 251);
	copy.dstArray = back.srcArray = array_new(WIDTH, ROWS, SLICES, 0);
	ck_assert_ok(cuMemcpy3D(&copy));
	ck_assert_ok(cuMemcpy3D(&back));
	ck_assert_mem_eq(in, out, bytes);
	free(in);
	free(out);
}
END_TEST

START_TEST(a_copy_past_an_arrays_edge_is_invalid)
{
	float row[10];
	CUDA_MEMCPY2D copy;

	claims_open();
	copy = row_of(array_new(WIDTH, ROWS, 0, 0), row, 0);
	copy.srcXInBytes = (WIDTH - 9) * sizeof(float);
	ck_assert_cu(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
	copy.srcXInBytes = 0;
	copy.srcY = ROWS;
	ck_assert_cu(cuMemcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(an_array_takes_memory_and_gives_it_back)
{
	size_t before, during, after;
	CUarray array;

	claims_open();
	array_new(16, 16, 0, 0);
	ck_assert_ok(cuMemGetInfo(&before, NULL));
	array = array_new(4096, 4096, 0, 0);
	ck_assert_ok(cuMemGetInfo(&during, NULL));
	ck_assert_ok(cuArrayDestroy(array));
	ck_assert_ok(cuMemGetInfo(&after, NULL));
	ck_assert_uint_le(during + (64 << 20), before);
	ck_assert_uint_eq(after, before);
}
END_TEST

START_TEST(wrong_shapes_are_refused)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 8,
					 .Height = 8,
					 .Format = CU_AD_FORMAT_FLOAT,
					 .NumChannels = 3};
	CUarray array;

	claims_open();
	ck_assert_cu(cuArray3DCreate(&array, &shape), CUDA_ERROR_INVALID_VALUE);
	shape.NumChannels = 1;
	shape.Width = 0;
	ck_assert_cu(cuArray3DCreate(&array, &shape), CUDA_ERROR_INVALID_VALUE);
	shape.Width = 8;
	shape.Depth = 5;
	shape.Flags = CUDA_ARRAY3D_CUBEMAP;
	ck_assert_cu(cuArray3DCreate(&array, &shape), CUDA_ERROR_INVALID_VALUE);
	shape.Depth = 6;
	ck_assert_ok(cuArray3DCreate(&array, &shape));
}
END_TEST

START_TEST(levels_of_a_mipmapped_array_halve)
{
	CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = 64,
					 .Height = 16,
					 .Format = CU_AD_FORMAT_FLOAT,
					 .NumChannels = 1};
	float row[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, seen[10];
	CUDA_ARRAY3D_DESCRIPTOR small;
	CUDA_MEMCPY2D in, out, first;
	CUmipmappedArray many;
	CUarray level, top;

	claims_open();
	ck_assert_ok(cuMipmappedArrayCreate(&many, &shape, 4));
	ck_assert_ok(cuMipmappedArrayGetLevel(&top, many, 0));
	ck_assert_ok(cuMipmappedArrayGetLevel(&level, many, 1));
	ck_assert_ok(cuArray3DGetDescriptor(&small, level));
	ck_assert_uint_eq(small.Width, 32);
	ck_assert_uint_eq(small.Height, 8);
	in = row_of(level, row, 1);
	out = row_of(level, seen, 0);
	ck_assert_ok(cuMemcpy2D(&in));
	memset(row, 0, sizeof(row));
	first = row_of(top, row, 1);
	ck_assert_ok(cuMemcpy2D(&first));
	ck_assert_ok(cuMemcpy2D(&out));
	ck_assert_float_eq(seen[9], 10);
	ck_assert_cu(cuMipmappedArrayGetLevel(&level, many, 4),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMipmappedArrayDestroy(many));
}
END_TEST

START_TEST(rows_go_from_array_to_array_in_a_stream)
{
	float row[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, seen[10] = {0};
	CUarray from, to;
	CUDA_MEMCPY2D in, across, out;
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	from = array_new(WIDTH, ROWS, 0, 0);
	to = array_new(WIDTH, ROWS, 0, 0);
	in = row_of(from, row, 1);
	out = row_of(to, seen, 0);
	across = row_of(from, NULL, 0);
	across.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	across.dstArray = to;
	across.dstXInBytes = 4 * sizeof(float);
	across.dstY = 7;
	ck_assert_ok(cuMemcpy2DAsync(&in, stream));
	ck_assert_ok(cuMemcpy2DAsync(&across, stream));
	ck_assert_ok(cuMemcpy2DAsync(&out, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_mem_eq(row, seen, sizeof(row));
}
END_TEST

START_TEST(bytes_go_into_a_row_and_out)
{
	float in[20], out[20] = {0};
	CUarray first, second;
	CUdeviceptr numbers;
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	for (int i = 0; i < 20; i++)
		in[i] = (float)i;
	first = array_new(WIDTH, 0, 0, 0);
	second = array_new(WIDTH, 0, 0, 0);
	ck_assert_ok(cuMemAlloc(&numbers, sizeof(in)));
	ck_assert_ok(cuMemcpyHtoA(first, 40, in, sizeof(in)));
	ck_assert_ok(cuMemcpyAtoD(numbers, first, 40, sizeof(in)));
	ck_assert_ok(cuMemcpyDtoA(first, 120, numbers, sizeof(in)));
	ck_assert_ok(cuMemcpyAtoA(second, 0, first, 120, sizeof(in)));
	ck_assert_ok(cuMemcpyAtoH(out, second, 0, sizeof(in)));
	ck_assert_mem_eq(in, out, sizeof(in));
	memset(out, 0, sizeof(out));
	ck_assert_ok(cuMemcpyHtoAAsync(second, 8, in, 2 * sizeof(*in), stream));
	ck_assert_ok(
		cuMemcpyAtoHAsync(out, second, 4, 4 * sizeof(*in), stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_double_eq(out[0], 1);
	ck_assert_double_eq(out[1], 0);
	ck_assert_double_eq(out[2], 1);
	ck_assert_double_eq(out[3], 4);
	ck_assert_cu(cuMemcpyHtoA(first, 4 * WIDTH - 4, in, 8),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(array_without_a_format_is_invalid)
{
	CUDA_ARRAY_DESCRIPTOR shape = {0};
	CUarray array;

	claims_open();
	ck_assert_cu(cuArrayCreate(&array, &shape), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		an_array_tells_its_shape,
		what_is_copied_in_comes_out,
		a_box_goes_through_a_3d_array,
		a_copy_past_an_arrays_edge_is_invalid,
		an_array_takes_memory_and_gives_it_back,
		wrong_shapes_are_refused,
		levels_of_a_mipmapped_array_halve,
		rows_go_from_array_to_array_in_a_stream,
		bytes_go_into_a_row_and_out,
		array_without_a_format_is_invalid,
		NULL,
	};

	return claims_run("array", tests);
}
