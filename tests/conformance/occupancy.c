#include "claims.h"

static int device_has(CUdevice_attribute what)
{
	int value = 0;

	ck_assert_ok(cuDeviceGetAttribute(&value, what, 0));
	return value;
}

static int blocks_of(CUfunction add, int threads, size_t shared)
{
	int blocks = -1;

	ck_assert_ok(cuOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, add, threads, shared));
	return blocks;
}

START_TEST(threads_of_a_multiprocessor_bound_its_blocks)
{
	int most, blocks;
	CUfunction add;

	claims_open();
	add = claims_kernel();
	most = device_has(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
	blocks = blocks_of(add, 1024, 0);
	ck_assert_int_ge(blocks, 1);
	ck_assert_int_le(blocks * 1024, most);
	ck_assert_int_ge(blocks_of(add, 256, 0), blocks);
}
END_TEST

START_TEST(shared_memory_bounds_blocks)
{
	CUfunction add;

	claims_open();
	add = claims_kernel();
	ck_assert_int_lt(blocks_of(add, 32, 32 << 10), blocks_of(add, 32, 0));
}
END_TEST

START_TEST(shared_memory_that_is_left_keeps_the_blocks)
{
	CUfunction add;
	size_t one = 0, two = 0;

	claims_open();
	add = claims_kernel();
	ck_assert_ok(
		cuOccupancyAvailableDynamicSMemPerBlock(&one, add, 1, 128));
	ck_assert_ok(
		cuOccupancyAvailableDynamicSMemPerBlock(&two, add, 2, 128));
	ck_assert_uint_gt(two, 0);
	ck_assert_uint_le(two, one);
	ck_assert_int_ge(blocks_of(add, 128, two), 2);
}
END_TEST

START_TEST(best_block_fills_a_multiprocessor)
{
	int grid = 0, block = 0, processors;
	CUfunction add;

	claims_open();
	add = claims_kernel();
	processors = device_has(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	ck_assert_ok(cuOccupancyMaxPotentialBlockSize(&grid, &block, add, NULL,
						      0, 0));
	ck_assert_int_gt(block, 0);
	ck_assert_int_le(block, 1024);
	ck_assert_int_eq(grid, processors * blocks_of(add, block, 0));
}
END_TEST

START_TEST(best_block_keeps_to_its_limit)
{
	int grid = 0, block = 0;

	claims_open();
	ck_assert_ok(cuOccupancyMaxPotentialBlockSize(
		&grid, &block, claims_kernel(), NULL, 0, 96));
	ck_assert_int_gt(block, 0);
	ck_assert_int_le(block, 96);
}
END_TEST

static size_t CUDA_CB much_above_64(int threads)
{
	return threads > 64 ? 1 << 30 : 0;
}

START_TEST(best_block_has_the_shared_memory_of_its_size)
{
	int grid = 0, block = 0;

	claims_open();
	ck_assert_ok(cuOccupancyMaxPotentialBlockSize(
		&grid, &block, claims_kernel(), much_above_64, 0, 0));
	ck_assert_int_gt(block, 0);
	ck_assert_int_le(block, 64);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		threads_of_a_multiprocessor_bound_its_blocks,
		shared_memory_bounds_blocks,
		shared_memory_that_is_left_keeps_the_blocks,
		best_block_fills_a_multiprocessor,
		best_block_keeps_to_its_limit,
		best_block_has_the_shared_memory_of_its_size,
		NULL,
	};

	return claims_run("occupancy", tests);
}
