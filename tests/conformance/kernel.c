#include "claims.h"

#include <string.h>

enum { COUNT = 1000 };

static CUdeviceptr numbers_new(void)
{
	CUdeviceptr numbers;

	ck_assert_ok(cuMemAlloc(&numbers, COUNT * sizeof(int)));
	ck_assert_ok(cuMemsetD32(numbers, 0, COUNT));
	return numbers;
}

static int number_at(CUdeviceptr numbers, int at)
{
	int number;

	ck_assert_ok(
		cuMemcpyDtoH(&number, numbers + at * sizeof(int), sizeof(int)));
	return number;
}

START_TEST(kernel_computes)
{
	CUdeviceptr numbers;

	claims_open();
	numbers = numbers_new();
	ck_assert_ok(claims_add(claims_kernel(), numbers, 5, COUNT, NULL));
	ck_assert_int_eq(number_at(numbers, 0), 5);
	ck_assert_int_eq(number_at(numbers, COUNT - 1), 5);
}
END_TEST

START_TEST(arguments_are_taken_at_the_launch)
{
	CUdeviceptr numbers;
	CUfunction add;
	CUstream stream;
	unsigned count = COUNT;
	int step = 1;
	void *args[] = {&numbers, &step, &count};

	claims_open();
	numbers = numbers_new();
	add = claims_kernel();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuCtxSynchronize());
	/* A first launch may load code, which may wait for the device. */
	ck_assert_ok(claims_add(add, numbers, 0, COUNT, stream));
	claims_hold(stream);
	ck_assert_ok(
		cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, stream, args, NULL));
	step = 100;
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(number_at(numbers, 7), 1);
}
END_TEST

START_TEST(many_launches_run_in_order)
{
	CUdeviceptr numbers;
	CUfunction add;
	CUstream stream;

	claims_open();
	numbers = numbers_new();
	add = claims_kernel();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	for (int i = 0; i < 200; i++)
		ck_assert_ok(claims_add(add, numbers, 1, COUNT,
					i % 2 ? stream : NULL));
	ck_assert_int_eq(number_at(numbers, COUNT / 2), 200);
}
END_TEST

START_TEST(extended_launch_computes)
{
	CUlaunchConfig config = {.gridDimX = 8,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = 128,
				 .blockDimY = 1,
				 .blockDimZ = 1};
	CUdeviceptr numbers;
	unsigned count = COUNT;
	int step = 3;
	void *args[] = {&numbers, &step, &count};

	claims_open();
	numbers = numbers_new();
	ck_assert_ok(cuLaunchKernelEx(&config, claims_kernel(), args, NULL));
	ck_assert_int_eq(number_at(numbers, 1), 3);
}
END_TEST

START_TEST(function_of_an_unknown_name_is_not_found)
{
	CUfunction add, none;
	CUmodule module;

	claims_open();
	add = claims_kernel();
	ck_assert_ok(cuFuncGetModule(&module, add));
	ck_assert_cu(cuModuleGetFunction(&none, module, "no_such_kernel"),
		     CUDA_ERROR_NOT_FOUND);
}
END_TEST

START_TEST(function_tells_its_name)
{
	const char *name = NULL;

	claims_open();
	ck_assert_ok(cuFuncGetName(&name, claims_kernel()));
	ck_assert_str_eq(name, "add");
}
END_TEST

START_TEST(block_of_too_many_threads_is_refused)
{
	CUdeviceptr numbers = 0;
	CUfunction add;
	unsigned count = 0;
	int step = 0;
	void *args[] = {&numbers, &step, &count};

	claims_open();
	add = claims_kernel();
	ck_assert_cu(
		cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL),
		CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(
		cuLaunchKernel(add, 0, 1, 1, 32, 1, 1, 0, NULL, args, NULL),
		CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(occupancy_is_between_one_and_the_most)
{
	int blocks = 0;

	claims_open();
	ck_assert_ok(cuOccupancyMaxActiveBlocksPerMultiprocessor(
		&blocks, claims_kernel(), 128, 0));
	ck_assert_int_ge(blocks, 1);
	ck_assert_int_le(blocks, 32);
}
END_TEST

START_TEST(loading_a_module_waits_for_the_work_of_the_context)
{
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	claims_hold(stream);
	claims_release_later();
	claims_kernel();
	ck_assert_ok(cuStreamQuery(stream));
}
END_TEST

START_TEST(no_function_has_no_name)
{
	const char *name;

	claims_open();
	ck_assert_cu(cuFuncGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuKernelGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		kernel_computes,
		arguments_are_taken_at_the_launch,
		many_launches_run_in_order,
		extended_launch_computes,
		function_of_an_unknown_name_is_not_found,
		function_tells_its_name,
		block_of_too_many_threads_is_refused,
		occupancy_is_between_one_and_the_most,
		loading_a_module_waits_for_the_work_of_the_context,
		no_function_has_no_name,
		NULL,
	};

	return claims_run("kernel", tests);
}
