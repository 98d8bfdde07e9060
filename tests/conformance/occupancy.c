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

START_TEST(a_multiprocessor_holds_so_many_of_the_smallest_blocks)
{
	int major, minor, most;

	claims_open();
	most = device_has(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
	ck_assert_int_eq(blocks_of(claims_kernel(), 32, 0), most);
	/* Of three that the programming guide tells. */
	major = device_has(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
	minor = device_has(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
	if (major == 7 && minor == 5)
		ck_assert_int_eq(most, 16);
	if ((major == 8 || major == 9) && minor == 0)
		ck_assert_int_eq(most, 32);
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

static int has_clusters(void)
{
	int has = 0;

	ck_assert_ok(cuDeviceGetAttribute(
		&has, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
	return has;
}

/* A launch of blocks in clusters of so many. */
static CUlaunchConfig clusters_of(unsigned blocks, CUlaunchAttribute *attribute)
{
	*attribute =
		(CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
				    .value.clusterDim = {blocks, 1, 1}};
	return (CUlaunchConfig){.gridDimX = 32,
				.gridDimY = 1,
				.gridDimZ = 1,
				.blockDimX = 128,
				.blockDimY = 1,
				.blockDimZ = 1,
				.attrs = attribute,
				.numAttrs = 1};
}

START_TEST(clusters_of_eight_are_on_every_device_that_has_any)
{
	CUlaunchAttribute attribute;
	CUlaunchConfig config;
	int size = 0, count = 0;
	CUfunction add;

	claims_open();
	if (!has_clusters())
		return;
	add = claims_kernel();
	config = clusters_of(8, &attribute);
	ck_assert_ok(cuOccupancyMaxPotentialClusterSize(&size, add, &config));
	ck_assert_int_ge(size, 8);
	ck_assert_ok(cuOccupancyMaxActiveClusters(&count, add, &config));
	ck_assert_int_gt(count, 0);
}
END_TEST

START_TEST(launch_is_made_of_its_clusters)
{
	CUlaunchAttribute attribute;
	CUlaunchConfig config;
	CUdeviceptr numbers;
	int step = 3;
	unsigned count = CLAIMS_COUNT;
	void *args[] = {&numbers, &step, &count};
	CUfunction add;

	claims_open();
	if (!has_clusters())
		return;
	add = claims_kernel();
	numbers = claims_numbers();
	config = clusters_of(4, &attribute);
	ck_assert_ok(cuLaunchKernelEx(&config, add, args, NULL));
	ck_assert_int_eq(claims_number(numbers, 7), 3);
	config = clusters_of(5, &attribute);
	ck_assert_cu(cuLaunchKernelEx(&config, add, args, NULL),
		     CUDA_ERROR_INVALID_CLUSTER_SIZE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		threads_of_a_multiprocessor_bound_its_blocks,
		a_multiprocessor_holds_so_many_of_the_smallest_blocks,
		shared_memory_bounds_blocks,
		shared_memory_that_is_left_keeps_the_blocks,
		best_block_fills_a_multiprocessor,
		best_block_keeps_to_its_limit,
		best_block_has_the_shared_memory_of_its_size,
		clusters_of_eight_are_on_every_device_that_has_any,
		launch_is_made_of_its_clusters,
		NULL,
	};

	return claims_run("occupancy", tests);
}
