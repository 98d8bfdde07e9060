/* Green contexts, which are parts of the primary context. */
#include "claims.h"

static CUcontext primary;

static CUgreenCtx green_new(void)
{
	CUdevResourceDesc desc;
	CUdevResource all, part;
	unsigned int groups = 1;
	CUgreenCtx green;

	claims_open();
	ck_assert_ok(cuDevicePrimaryCtxRetain(&primary, 0));
	ck_assert_ok(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	ck_assert_ok(
		cuDevSmResourceSplitByCount(&part, &groups, &all, NULL, 0, 8));
	ck_assert_uint_eq(groups, 1);
	ck_assert_uint_ge(part.sm.smCount, 8);
	ck_assert_ok(cuDevResourceGenerateDesc(&desc, &part, 1));
	ck_assert_ok(
		cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	return green;
}

static CUstream stream_new(CUgreenCtx green)
{
	CUstream stream;

	ck_assert_ok(cuGreenCtxStreamCreate(&stream, green,
					    CU_STREAM_NON_BLOCKING, 0));
	return stream;
}

START_TEST(green_context_can_be_current)
{
	CUgreenCtx green = green_new(), found;
	CUcontext context, current;
	CUdevice device;
	CUstream stream = stream_new(green);

	ck_assert_ok(cuCtxFromGreenCtx(&context, green));
	ck_assert_ptr_ne(context, primary);
	ck_assert_ok(cuCtxSetCurrent(context));
	ck_assert_ok(cuCtxGetCurrent(&current));
	ck_assert_ptr_eq(current, context);
	ck_assert_ok(cuCtxGetDevice(&device));
	ck_assert_int_eq(device, 0);
	ck_assert_ok(cuStreamGetGreenCtx(stream, &found));
	ck_assert_ptr_eq(found, green);
}
END_TEST

START_TEST(stream_tells_its_green_context_and_the_primary)
{
	CUgreenCtx green = green_new(), found = NULL;
	CUcontext context, of = NULL;
	CUstream stream = stream_new(green);

	ck_assert_ok(cuCtxFromGreenCtx(&context, green));
	ck_assert_ok(cuStreamGetCtx_v2(stream, &of, &found));
	ck_assert_ptr_eq(of, primary);
	ck_assert_ptr_eq(found, green);
	ck_assert_ok(cuStreamGetCtx_v2(claims_stream(CU_STREAM_NON_BLOCKING),
				       &of, &found));
	ck_assert_ptr_eq(of, primary);
	ck_assert_ptr_null(found);
	ck_assert_ok(cuCtxSetCurrent(context));
	ck_assert_ok(cuStreamGetCtx_v2(NULL, &of, &found));
	ck_assert_ptr_eq(of, primary);
	ck_assert_ptr_eq(found, green);
}
END_TEST

START_TEST(green_context_wants_non_blocking_streams)
{
	CUgreenCtx green = green_new();
	CUstream stream;

	ck_assert_cu(
		cuGreenCtxStreamCreate(&stream, green, CU_STREAM_DEFAULT, 0),
		CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(green_context_needs_no_descriptor)
{
	CUgreenCtx green;

	claims_open();
	ck_assert_ok(
		cuGreenCtxCreate(&green, NULL, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	ck_assert_ok(cuGreenCtxDestroy(green));
}
END_TEST

START_TEST(primary_context_waits_for_its_green_ones)
{
	CUgreenCtx green = green_new();
	CUstream stream = stream_new(green);
	CUevent event;

	ck_assert_ok(cuCtxSetCurrent(primary));
	ck_assert_ok(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	claims_hold(stream);
	ck_assert_ok(cuCtxRecordEvent(primary, event));
	ck_assert_cu(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_ok(cuStreamQuery(stream));
	ck_assert_ok(cuEventQuery(event));
}
END_TEST

START_TEST(green_context_does_not_wait_for_others)
{
	CUgreenCtx green = green_new();
	CUcontext context;
	CUstream stream;
	CUevent event;

	ck_assert_ok(cuCtxSetCurrent(primary));
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuCtxFromGreenCtx(&context, green));
	ck_assert_ok(cuCtxSetCurrent(context));
	ck_assert_ok(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
	claims_hold(stream);
	ck_assert_ok(cuCtxRecordEvent(context, event));
	ck_assert_ok(cuEventSynchronize(event));
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

START_TEST(memory_outlives_the_green_context_it_came_from)
{
	CUgreenCtx green = green_new();
	unsigned char byte = 0;
	CUcontext context;
	CUdeviceptr addr;

	ck_assert_ok(cuCtxFromGreenCtx(&context, green));
	ck_assert_ok(cuCtxSetCurrent(context));
	ck_assert_ok(cuMemAlloc(&addr, 4096));
	ck_assert_ok(cuMemsetD8(addr, 7, 4096));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_ok(cuGreenCtxDestroy(green));
	ck_assert_ok(cuCtxSetCurrent(primary));
	ck_assert_ok(cuMemcpyDtoH(&byte, addr, 1));
	ck_assert_uint_eq(byte, 7);
	ck_assert_ok(cuMemFree(addr));
}
END_TEST

START_TEST(no_reset_while_there_are_green_contexts)
{
	CUgreenCtx green = green_new();
	CUcontext context;

	ck_assert_cu(cuDevicePrimaryCtxReset(0), CUDA_ERROR_NOT_PERMITTED);
	ck_assert_ok(cuCtxFromGreenCtx(&context, green));
	ck_assert_ok(cuGreenCtxDestroy(green));
	ck_assert_ok(cuDevicePrimaryCtxReset(0));
}
END_TEST

START_TEST(contexts_tell_their_processors)
{
	CUgreenCtx green = green_new();
	CUdevResource all, whole, part;
	CUcontext context;
	unsigned long long id = 0;

	ck_assert_ok(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	ck_assert_ok(
		cuCtxGetDevResource(primary, &whole, CU_DEV_RESOURCE_TYPE_SM));
	ck_assert_uint_eq(whole.sm.smCount, all.sm.smCount);
	ck_assert_ok(cuCtxFromGreenCtx(&context, green));
	ck_assert_ok(
		cuCtxGetDevResource(context, &part, CU_DEV_RESOURCE_TYPE_SM));
	ck_assert_uint_lt(part.sm.smCount, all.sm.smCount);
	ck_assert_ok(cuGreenCtxGetId(green, &id));
	ck_assert_uint_ne(id, 0);
}
END_TEST

START_TEST(number_of_groups_is_told)
{
	CUdevResource all, parts[3];
	unsigned most = 0, three = 3;

	claims_open();
	ck_assert_ok(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
	ck_assert_ok(
		cuDevSmResourceSplitByCount(NULL, &most, &all, NULL, 0, 2));
	ck_assert_uint_ge(most, 3);
	ck_assert_ok(
		cuDevSmResourceSplitByCount(parts, &three, &all, NULL, 0, 2));
	ck_assert_uint_eq(three, 3);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		green_context_can_be_current,
		stream_tells_its_green_context_and_the_primary,
		green_context_wants_non_blocking_streams,
		green_context_needs_no_descriptor,
		primary_context_waits_for_its_green_ones,
		green_context_does_not_wait_for_others,
		memory_outlives_the_green_context_it_came_from,
		no_reset_while_there_are_green_contexts,
		contexts_tell_their_processors,
		number_of_groups_is_told,
		NULL,
	};

	return claims_run("green", tests);
}
