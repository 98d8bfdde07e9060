#include "claims.h"

#include <string.h>

/* A buffer of arguments of `add`. */
struct args {
	CUdeviceptr numbers;
	int step;
	unsigned count;
};

static CUresult launch_extra(CUfunction add, void *args, size_t *size,
			     void **params)
{
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, args,
			 CU_LAUNCH_PARAM_BUFFER_SIZE, size,
			 CU_LAUNCH_PARAM_END};

	return cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, params, extra);
}

START_TEST(arguments_may_be_in_a_buffer)
{
	struct args args = {.step = 4, .count = CLAIMS_COUNT};
	size_t size = sizeof(args);

	claims_open();
	args.numbers = claims_numbers();
	ck_assert_ok(launch_extra(claims_kernel(), &args, &size, NULL));
	ck_assert_int_eq(claims_number(args.numbers, 0), 4);
	ck_assert_int_eq(claims_number(args.numbers, CLAIMS_COUNT - 1), 4);
}
END_TEST

START_TEST(arguments_are_not_in_two_places)
{
	struct args args = {.step = 4, .count = CLAIMS_COUNT};
	void *params[] = {&args.numbers, &args.step, &args.count};
	size_t size = sizeof(args);

	claims_open();
	args.numbers = claims_numbers();
	ck_assert_cu(launch_extra(claims_kernel(), &args, &size, params),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(function_tells_where_its_parameters_are)
{
	CUfunction add;
	size_t offset = 9, size = 9;

	claims_open();
	add = claims_kernel();
	ck_assert_ok(cuFuncGetParamInfo(add, 0, &offset, &size));
	ck_assert_uint_eq(offset, offsetof(struct args, numbers));
	ck_assert_uint_eq(size, sizeof(CUdeviceptr));
	ck_assert_ok(cuFuncGetParamInfo(add, 2, &offset, NULL));
	ck_assert_uint_eq(offset, offsetof(struct args, count));
	ck_assert_cu(cuFuncGetParamInfo(add, 3, &offset, &size),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

/* CUDA has newer calls for all of this. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

START_TEST(function_keeps_the_arguments_of_old_launches)
{
	CUdeviceptr numbers;
	CUfunction add;

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	ck_assert_ok(cuFuncSetBlockShape(add, 100, 1, 1));
	ck_assert_ok(cuParamSetSize(add, sizeof(struct args)));
	ck_assert_ok(cuParamSetv(add, 0, &numbers, sizeof(numbers)));
	ck_assert_ok(cuParamSeti(add, offsetof(struct args, step), 3));
	ck_assert_ok(
		cuParamSeti(add, offsetof(struct args, count), CLAIMS_COUNT));
	ck_assert_ok(cuLaunch(add));
	ck_assert_ok(cuLaunchGrid(add, 2, 1));
	ck_assert_ok(cuLaunchGridAsync(add, 3, 1, CU_STREAM_PER_THREAD));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(claims_number(numbers, 99), 9);
	ck_assert_int_eq(claims_number(numbers, 199), 6);
	ck_assert_int_eq(claims_number(numbers, 299), 3);
	ck_assert_int_eq(claims_number(numbers, 300), 0);
}
END_TEST

static CUresult launch_together(CUfunction add, unsigned blocks, void **args)
{
	return cuLaunchCooperativeKernel(add, blocks, 1, 1, 128, 1, 1, 0, NULL,
					 args);
}

START_TEST(cooperative_launch_has_to_fit_on_the_device)
{
	unsigned count = CLAIMS_COUNT;
	int step = 2;
	CUdeviceptr numbers;
	CUfunction add;
	void *args[] = {&numbers, &step, &count};

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	ck_assert_ok(launch_together(add, 8, args));
	ck_assert_int_eq(claims_number(numbers, CLAIMS_COUNT - 1), 2);
	ck_assert_cu(launch_together(add, 1 << 20, args),
		     CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}
END_TEST

START_TEST(cooperative_launch_may_be_an_attribute)
{
	CUlaunchAttribute together = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
				      .value.cooperative = 1};
	CUlaunchConfig config = {.gridDimX = 8,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = 128,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .attrs = &together,
				 .numAttrs = 1};
	unsigned count = CLAIMS_COUNT;
	int step = 6;
	CUdeviceptr numbers;
	CUfunction add;
	void *args[] = {&numbers, &step, &count};

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	ck_assert_ok(cuLaunchKernelEx(&config, add, args, NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 6);
	config.gridDimX = 1 << 20;
	ck_assert_cu(cuLaunchKernelEx(&config, add, args, NULL),
		     CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}
END_TEST

START_TEST(event_that_a_launch_records_has_no_time)
{
	CUlaunchAttribute completion = {
		.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
	CUlaunchConfig config = {.gridDimX = 8,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = 128,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .attrs = &completion,
				 .numAttrs = 1};
	CUevent *event = &completion.value.launchCompletionEvent.event;
	unsigned count = CLAIMS_COUNT;
	int step = 6;
	CUdeviceptr numbers;
	CUfunction add;
	void *args[] = {&numbers, &step, &count};

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	ck_assert_ok(cuEventCreate(event, CU_EVENT_DEFAULT));
	ck_assert_int_ne(cuLaunchKernelEx(&config, add, args, NULL),
			 CUDA_SUCCESS);
	ck_assert_int_eq(claims_number(numbers, 0), 0);
	*event = claims_event();
	ck_assert_ok(cuLaunchKernelEx(&config, add, args, NULL));
	ck_assert_ok(cuEventSynchronize(*event));
	ck_assert_int_eq(claims_number(numbers, 0), 6);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		arguments_may_be_in_a_buffer,
		arguments_are_not_in_two_places,
		function_tells_where_its_parameters_are,
		function_keeps_the_arguments_of_old_launches,
		cooperative_launch_has_to_fit_on_the_device,
		cooperative_launch_may_be_an_attribute,
		event_that_a_launch_records_has_no_time,
		NULL,
	};

	return claims_run("launch", tests);
}
