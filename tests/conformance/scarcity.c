/* A device without free memory. A call that needs some is refused, and served
 * once there is some again. */
#include "claims.h"

#include <stdint.h>

#define SIZE ((size_t)256 << 20)

enum { BLOCKS_MOST = 4096, ROW = 1 << 14, TEXEL = 4 };

static CUdeviceptr blocks[BLOCKS_MOST];
static int block_count;

/* Allocates until not even a small block is left. */
static void device_fill(void)
{
	block_count = 0;
	for (size_t size = SIZE; size >= (size_t)2 << 20; size /= 2)
		while (block_count < BLOCKS_MOST &&
		       !cuMemAlloc(&blocks[block_count], size))
			block_count++;
	ck_assert_int_gt(block_count, 1);
	ck_assert_int_lt(block_count, BLOCKS_MOST);
}

/* Frees the first two blocks, which are the largest. */
static void some_free(void)
{
	ck_assert_ok(cuMemFree(blocks[0]));
	ck_assert_ok(cuMemFree(blocks[1]));
}

START_TEST(stream_ordered_memory_is_served_once_there_is_some)
{
	CUdeviceptr ptr = 1;

	claims_open();
	device_fill();
	ck_assert_cu(cuMemAllocAsync(&ptr, SIZE, NULL),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
	some_free();
	ck_assert_ok(cuMemAllocAsync(&ptr, SIZE, NULL));
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuCtxSynchronize());
}
END_TEST

START_TEST(physical_memory_is_served_once_there_is_some)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
	CUmemGenericAllocationHandle handle = 1;

	claims_open();
	device_fill();
	ck_assert_cu(cuMemCreate(&handle, SIZE, &prop, 0),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(handle, 1);
	some_free();
	ck_assert_ok(cuMemCreate(&handle, SIZE, &prop, 0));
	ck_assert_ok(cuMemRelease(handle));
}
END_TEST

START_TEST(pitched_memory_is_served_once_there_is_some)
{
	CUdeviceptr ptr = 1;
	size_t pitch = 1;

	claims_open();
	device_fill();
	ck_assert_cu(cuMemAllocPitch(&ptr, &pitch, ROW, SIZE / ROW, 4),
		     CUDA_ERROR_OUT_OF_MEMORY);
	ck_assert_uint_eq(ptr, 0);
	some_free();
	ck_assert_ok(cuMemAllocPitch(&ptr, &pitch, ROW, SIZE / ROW, 4));
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

START_TEST(an_array_is_served_once_there_is_memory)
{
	CUDA_ARRAY_DESCRIPTOR shape = {.Width = ROW,
				       .Height = SIZE / ROW / TEXEL,
				       .Format = CU_AD_FORMAT_FLOAT,
				       .NumChannels = 1};
	CUarray array;

	claims_open();
	device_fill();
	ck_assert_cu(cuArrayCreate(&array, &shape), CUDA_ERROR_OUT_OF_MEMORY);
	some_free();
	ck_assert_ok(cuArrayCreate(&array, &shape));
	ck_assert_ok(cuArrayDestroy(array));
}
END_TEST

/* A call that needs memory only in passing may get it from the driver's
 * reserve, or be refused. */
START_TEST(what_takes_memory_by_the_way_is_made_once_there_is_some)
{
	CUstream stream;
	CUevent event;
	CUresult res;

	claims_open();
	device_fill();
	res = cuStreamCreate(&stream, CU_STREAM_DEFAULT);
	ck_assert(!res || res == CUDA_ERROR_OUT_OF_MEMORY);
	res = cuEventCreate(&event, CU_EVENT_DEFAULT);
	ck_assert(!res || res == CUDA_ERROR_OUT_OF_MEMORY);
	some_free();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	ck_assert_ok(cuEventCreate(&event, CU_EVENT_DEFAULT));
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		stream_ordered_memory_is_served_once_there_is_some,
		physical_memory_is_served_once_there_is_some,
		pitched_memory_is_served_once_there_is_some,
		an_array_is_served_once_there_is_memory,
		what_takes_memory_by_the_way_is_made_once_there_is_some,
		NULL,
	};

	return claims_run("scarcity", tests);
}
