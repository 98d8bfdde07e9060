#include "claims.h"

START_TEST(primary_context_has_one_handle)
{
	CUcontext first = claims_open(), second;

	ck_assert_ok(cuDevicePrimaryCtxRetain(&second, 0));
	ck_assert_ptr_eq(first, second);
}
END_TEST

START_TEST(primary_context_is_active_while_retained)
{
	CUcontext ctx;
	unsigned flags;
	int active;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuDevicePrimaryCtxGetState(0, &flags, &active));
	ck_assert_int_eq(active, 0);
	ck_assert_ok(cuDevicePrimaryCtxRetain(&ctx, 0));
	ck_assert_ok(cuDevicePrimaryCtxGetState(0, &flags, &active));
	ck_assert_int_eq(active, 1);
	ck_assert_ok(cuDevicePrimaryCtxRelease(0));
	ck_assert_ok(cuDevicePrimaryCtxGetState(0, &flags, &active));
	ck_assert_int_eq(active, 0);
}
END_TEST

START_TEST(retain_does_not_make_it_current)
{
	CUcontext ctx, current;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuDevicePrimaryCtxRetain(&ctx, 0));
	ck_assert_ok(cuCtxGetCurrent(&current));
	ck_assert_ptr_null(current);
}
END_TEST

START_TEST(release_without_retain_is_refused)
{
	ck_assert_ok(cuInit(0));
	ck_assert_cu(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
}
END_TEST

START_TEST(after_a_reset_the_context_is_destroyed)
{
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 4096));
	ck_assert_ok(cuDevicePrimaryCtxReset(0));
	ck_assert_cu(cuMemAlloc(&ptr, 4096), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}
END_TEST

START_TEST(reset_gives_back_the_memory)
{
	size_t before, after;
	CUdeviceptr ptr;

	claims_open();
	ck_assert_ok(cuMemGetInfo(&before, NULL));
	ck_assert_ok(cuMemAlloc(&ptr, 256 << 20));
	ck_assert_ok(cuDevicePrimaryCtxReset(0));
	claims_open();
	ck_assert_ok(cuMemGetInfo(&after, NULL));
	ck_assert_uint_ge(after + (128 << 20), before);
}
END_TEST

START_TEST(flags_are_kept_for_the_next_retain)
{
	unsigned flags = 0;
	int active;

	ck_assert_ok(cuInit(0));
	ck_assert_ok(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
	ck_assert_ok(cuDevicePrimaryCtxGetState(0, &flags, &active));
	ck_assert_uint_eq(flags & CU_CTX_SCHED_MASK,
			  CU_CTX_SCHED_BLOCKING_SYNC);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		primary_context_has_one_handle,
		primary_context_is_active_while_retained,
		retain_does_not_make_it_current,
		release_without_retain_is_refused,
		after_a_reset_the_context_is_destroyed,
		reset_gives_back_the_memory,
		flags_are_kept_for_the_next_retain,
		NULL,
	};

	return claims_run("primary", tests);
}
