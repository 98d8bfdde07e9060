#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

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

static atomic_bool resetting;

static void linger(void *unused)
{
	(void)unused;
	while (!resetting)
		usleep(1000);
	usleep(50000);
}

static void *reset_run(void *unused)
{
	(void)unused;
	resetting = true;
	return (void *)(uintptr_t)cuDevicePrimaryCtxReset(0);
}

START_TEST(a_retain_beside_a_reset_that_waits_yields_a_usable_context)
{
	CUcontext ctx = claims_open();
	CUdeviceptr ptr;
	pthread_t thread;
	CUstream stream;
	void *res;

	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	ck_assert_ok(cuLaunchHostFunc(stream, linger, NULL));
	pthread_create(&thread, NULL, reset_run, NULL);
	while (!resetting)
		usleep(1000);
	usleep(10000); /* until the reset waits */
	ck_assert_ok(cuDevicePrimaryCtxRetain(&ctx, 0));
	ck_assert_ok(cuCtxSetCurrent(ctx));
	ck_assert_ok(cuMemAlloc(&ptr, 4096));
	pthread_join(thread, &res);
	ck_assert_ptr_null(res);
	ck_assert_ok(cuMemsetD8(ptr, 1, 4096));
	ck_assert_ok(cuMemFree(ptr));
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
		a_retain_beside_a_reset_that_waits_yields_a_usable_context,
		flags_are_kept_for_the_next_retain,
		NULL,
	};

	return claims_run("primary", tests);
}
