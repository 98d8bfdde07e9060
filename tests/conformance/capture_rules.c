#include "claims.h"

#include <pthread.h>

static void begin(CUstream stream, CUstreamCaptureMode mode)
{
	ck_assert_ok(cuStreamBeginCapture(stream, mode));
}

/* The capture can only be ended, and gives no graph. */
static void check_invalid(CUstream stream)
{
	CUgraph graph = (CUgraph)&graph;

	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_INVALIDATED);
	ck_assert_cu(cuStreamEndCapture(stream, &graph),
		     CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	ck_assert_ptr_null(graph);
	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_NONE);
}

static void check_valid(CUstream stream)
{
	CUgraph graph;

	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_ACTIVE);
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_ok(cuGraphDestroy(graph));
}

START_TEST(capture_cannot_wait_for_outside_work)
{
	CUstream stream, other;
	CUevent event;

	claims_open();
	event = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuEventRecord(event, other));
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_cu(cuStreamWaitEvent(stream, event, 0),
		     CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
	check_invalid(stream);
}
END_TEST

START_TEST(capturing_stream_cannot_be_waited_for)
{
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_cu(cuStreamSynchronize(stream),
		     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	check_invalid(stream);
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

START_TEST(capturing_stream_cannot_be_queried)
{
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_cu(cuStreamQuery(stream),
		     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	check_invalid(stream);
}
END_TEST

START_TEST(captured_event_cannot_be_queried)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUstream stream;
	CUevent event;

	claims_open();
	event = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&mode));
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_cu(cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
	check_invalid(stream);
}
END_TEST

START_TEST(captured_event_cannot_be_waited_for_by_the_host)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUstream stream;
	CUevent event;

	claims_open();
	event = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&mode));
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_cu(cuEventSynchronize(event), CUDA_ERROR_CAPTURED_EVENT);
	check_invalid(stream);
}
END_TEST

START_TEST(context_with_a_capture_cannot_be_waited_for)
{
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_cu(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	check_invalid(stream);
}
END_TEST

START_TEST(context_event_cannot_be_recorded_in_a_capture)
{
	CUcontext ctx = claims_open();
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUevent event = claims_event();

	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_cu(cuCtxRecordEvent(ctx, event),
		     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	check_invalid(stream);
	ck_assert_ok(cuCtxRecordEvent(ctx, event));
}
END_TEST

START_TEST(context_cannot_wait_in_a_capture)
{
	CUcontext ctx = claims_open();
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUevent event = claims_event();

	ck_assert_ok(cuCtxRecordEvent(ctx, event));
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_cu(cuCtxWaitEvent(ctx, event),
		     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	check_invalid(stream);
}
END_TEST

START_TEST(legacy_stream_is_unusable_while_a_blocking_one_captures)
{
	CUstreamCaptureStatus status;
	CUdeviceptr numbers;
	CUstream stream;

	claims_open();
	numbers = claims_numbers();
	stream = claims_stream(CU_STREAM_DEFAULT);
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_cu(cuStreamIsCapturing(CU_STREAM_LEGACY, &status),
		     CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_ACTIVE);
	ck_assert_cu(
		cuMemsetD32Async(numbers, 0, CLAIMS_COUNT, CU_STREAM_LEGACY),
		CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	check_invalid(stream);
	ck_assert_ok(
		cuMemsetD32Async(numbers, 0, CLAIMS_COUNT, CU_STREAM_LEGACY));
}
END_TEST

START_TEST(legacy_stream_works_while_a_non_blocking_one_captures)
{
	CUdeviceptr numbers;
	CUstream stream;

	claims_open();
	numbers = claims_numbers();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(
		cuMemsetD32Async(numbers, 3, CLAIMS_COUNT, CU_STREAM_LEGACY));
	check_valid(stream);
}
END_TEST

/* What one thread does while another captures. */
struct visit {
	CUcontext ctx;
	CUstreamCaptureMode mode;
	CUresult res;
};

static void *visitor(void *user)
{
	struct visit *visit = user;
	CUdeviceptr addr;

	ck_assert_ok(cuCtxSetCurrent(visit->ctx));
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&visit->mode));
	visit->res = cuMemAlloc(&addr, CLAIMS_COUNT);
	return NULL;
}

static CUresult alloc_elsewhere(CUcontext ctx, CUstreamCaptureMode mode)
{
	struct visit visit = {.ctx = ctx, .mode = mode};
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, visitor, &visit), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	return visit.res;
}

START_TEST(allocation_is_forbidden_to_the_capturing_thread)
{
	CUdeviceptr addr = 0;
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
	ck_assert_cu(cuMemAlloc(&addr, CLAIMS_COUNT),
		     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	check_invalid(stream);
	ck_assert_ok(cuMemAlloc(&addr, CLAIMS_COUNT));
}
END_TEST

START_TEST(relaxed_capture_forbids_no_allocation)
{
	CUcontext ctx = claims_open();
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUdeviceptr addr;

	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_ok(cuMemAlloc(&addr, CLAIMS_COUNT));
	ck_assert_ok(alloc_elsewhere(ctx, CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_valid(stream);
}
END_TEST

START_TEST(relaxed_thread_may_allocate_in_its_own_capture)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUdeviceptr addr;
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&mode));
	ck_assert_ok(cuMemAlloc(&addr, CLAIMS_COUNT));
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&mode));
	check_valid(stream);
}
END_TEST

START_TEST(global_capture_forbids_allocation_to_other_threads)
{
	CUcontext ctx = claims_open();
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);

	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_cu(alloc_elsewhere(ctx, CU_STREAM_CAPTURE_MODE_GLOBAL),
		     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	check_invalid(stream);
}
END_TEST

START_TEST(other_thread_may_ignore_a_global_capture)
{
	CUcontext ctx = claims_open();
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);

	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(alloc_elsewhere(ctx, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	ck_assert_ok(alloc_elsewhere(ctx, CU_STREAM_CAPTURE_MODE_RELAXED));
	check_valid(stream);
}
END_TEST

START_TEST(thread_local_capture_concerns_no_other_thread)
{
	CUcontext ctx = claims_open();
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);

	begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
	ck_assert_ok(alloc_elsewhere(ctx, CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_valid(stream);
}
END_TEST

START_TEST(work_in_an_invalid_capture_is_refused)
{
	CUdeviceptr numbers;
	CUstream stream;

	claims_open();
	numbers = claims_numbers();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_cu(cuStreamQuery(stream),
		     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	ck_assert_cu(cuMemsetD32Async(numbers, 1, CLAIMS_COUNT, stream),
		     CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	check_invalid(stream);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		capture_cannot_wait_for_outside_work,
		capturing_stream_cannot_be_waited_for,
		capturing_stream_cannot_be_queried,
		captured_event_cannot_be_queried,
		captured_event_cannot_be_waited_for_by_the_host,
		context_with_a_capture_cannot_be_waited_for,
		context_event_cannot_be_recorded_in_a_capture,
		context_cannot_wait_in_a_capture,
		legacy_stream_is_unusable_while_a_blocking_one_captures,
		legacy_stream_works_while_a_non_blocking_one_captures,
		allocation_is_forbidden_to_the_capturing_thread,
		relaxed_capture_forbids_no_allocation,
		relaxed_thread_may_allocate_in_its_own_capture,
		global_capture_forbids_allocation_to_other_threads,
		other_thread_may_ignore_a_global_capture,
		thread_local_capture_concerns_no_other_thread,
		work_in_an_invalid_capture_is_refused,
		NULL,
	};

	return claims_run("capture_rules", tests);
}
