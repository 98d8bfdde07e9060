#include "claims.h"

static CUevent event_new(unsigned flags)
{
	CUevent event;

	ck_assert_ok(cuEventCreate(&event, flags));
	return event;
}

static CUstream stream_new(void)
{
	CUstream stream;

	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	return stream;
}

START_TEST(event_never_recorded_is_complete)
{
	CUevent event;

	claims_open();
	event = event_new(CU_EVENT_DEFAULT);
	ck_assert_ok(cuEventQuery(event));
	ck_assert_ok(cuEventSynchronize(event));
	ck_assert_ok(cuEventDestroy(event));
}
END_TEST

START_TEST(event_is_ready_after_the_work_before_it)
{
	CUstream stream;
	CUevent event;

	claims_open();
	stream = stream_new();
	event = event_new(CU_EVENT_DISABLE_TIMING);
	claims_hold(stream);
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_cu(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuEventSynchronize(event));
	ck_assert_ok(cuEventQuery(event));
}
END_TEST

START_TEST(stream_waits_for_an_event)
{
	CUstream first, second;
	CUdeviceptr numbers;
	CUevent event;

	claims_open();
	numbers = claims_numbers();
	first = stream_new();
	second = stream_new();
	event = event_new(CU_EVENT_DISABLE_TIMING);
	claims_hold(first);
	ck_assert_ok(cuEventRecord(event, first));
	ck_assert_ok(cuStreamWaitEvent(second, event, 0));
	ck_assert_ok(claims_work(numbers, second));
	ck_assert_cu(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(second));
	ck_assert_ok(cuEventQuery(event));
}
END_TEST

START_TEST(wait_is_for_the_record_at_that_time)
{
	CUstream first, second;
	CUdeviceptr numbers;
	CUevent event;

	claims_open();
	numbers = claims_numbers();
	first = stream_new();
	second = stream_new();
	event = event_new(CU_EVENT_DISABLE_TIMING);
	ck_assert_ok(cuEventRecord(event, first));
	ck_assert_ok(cuStreamWaitEvent(second, event, 0));
	claims_hold(first);
	ck_assert_ok(cuEventRecord(event, first));
	ck_assert_ok(claims_work(numbers, second));
	ck_assert_ok(cuStreamSynchronize(second));
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
}
END_TEST

START_TEST(event_may_be_destroyed_while_waited_for)
{
	CUstream first, second;
	CUdeviceptr numbers;
	CUevent event;

	claims_open();
	numbers = claims_numbers();
	first = stream_new();
	second = stream_new();
	event = event_new(CU_EVENT_DISABLE_TIMING);
	claims_hold(first);
	ck_assert_ok(cuEventRecord(event, first));
	ck_assert_ok(cuStreamWaitEvent(second, event, 0));
	ck_assert_ok(claims_work(numbers, second));
	ck_assert_ok(cuEventDestroy(event));
	ck_assert_cu(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(second));
}
END_TEST

START_TEST(time_between_events_does_not_run_backwards)
{
	CUdeviceptr ptr;
	CUevent start, end;
	float ms = -1;

	claims_open();
	ck_assert_ok(cuMemAlloc(&ptr, 64 << 20));
	start = event_new(CU_EVENT_DEFAULT);
	end = event_new(CU_EVENT_DEFAULT);
	ck_assert_ok(cuEventRecord(start, NULL));
	ck_assert_ok(cuMemsetD8Async(ptr, 0, 64 << 20, NULL));
	ck_assert_ok(cuEventRecord(end, NULL));
	ck_assert_ok(cuEventSynchronize(end));
	ck_assert_ok(cuEventElapsedTime(&ms, start, end));
	ck_assert_float_ge(ms, 0);
}
END_TEST

START_TEST(time_needs_both_records)
{
	CUevent start, end;
	float ms;

	claims_open();
	start = event_new(CU_EVENT_DEFAULT);
	end = event_new(CU_EVENT_DEFAULT);
	ck_assert_ok(cuEventRecord(start, NULL));
	ck_assert_cu(cuEventElapsedTime(&ms, start, end),
		     CUDA_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(time_needs_events_that_keep_it)
{
	CUevent start, end;
	float ms;

	claims_open();
	start = event_new(CU_EVENT_DISABLE_TIMING);
	end = event_new(CU_EVENT_DISABLE_TIMING);
	ck_assert_ok(cuEventRecord(start, NULL));
	ck_assert_ok(cuEventRecord(end, NULL));
	ck_assert_ok(cuEventSynchronize(end));
	ck_assert_cu(cuEventElapsedTime(&ms, start, end),
		     CUDA_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(time_waits_for_nobody)
{
	CUevent start, end;
	CUstream stream;
	float ms;

	claims_open();
	stream = stream_new();
	start = event_new(CU_EVENT_DEFAULT);
	end = event_new(CU_EVENT_DEFAULT);
	ck_assert_ok(cuEventRecord(start, stream));
	claims_hold(stream);
	ck_assert_ok(cuEventRecord(end, stream));
	ck_assert_cu(cuEventElapsedTime(&ms, start, end), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

START_TEST(interprocess_events_keep_no_time)
{
	CUevent event;

	claims_open();
	ck_assert_cu(cuEventCreate(&event, CU_EVENT_INTERPROCESS),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(context_event_covers_every_stream)
{
	CUcontext ctx = claims_open();
	CUstream stream = stream_new();
	CUevent event = event_new(CU_EVENT_DISABLE_TIMING);

	claims_hold(stream);
	ck_assert_ok(cuCtxRecordEvent(ctx, event));
	ck_assert_cu(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuEventSynchronize(event));
	ck_assert_ok(cuStreamQuery(stream));
}
END_TEST

START_TEST(context_wait_holds_later_work_of_every_stream)
{
	CUcontext ctx = claims_open();
	CUdeviceptr numbers = claims_numbers();
	CUstream first = stream_new(), second = stream_new(), later;
	CUevent event = event_new(CU_EVENT_DISABLE_TIMING);

	claims_hold(first);
	ck_assert_ok(cuEventRecord(event, first));
	ck_assert_ok(cuCtxWaitEvent(ctx, event));
	later = stream_new();
	ck_assert_ok(claims_work(numbers, second));
	ck_assert_ok(claims_work(numbers, later));
	ck_assert_cu(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
	ck_assert_cu(cuStreamQuery(later), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(second));
	ck_assert_ok(cuStreamSynchronize(later));
	ck_assert_ok(cuEventQuery(event));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		event_never_recorded_is_complete,
		event_is_ready_after_the_work_before_it,
		stream_waits_for_an_event,
		wait_is_for_the_record_at_that_time,
		event_may_be_destroyed_while_waited_for,
		time_between_events_does_not_run_backwards,
		time_needs_both_records,
		time_needs_events_that_keep_it,
		time_waits_for_nobody,
		interprocess_events_keep_no_time,
		context_event_covers_every_stream,
		context_wait_holds_later_work_of_every_stream,
		NULL,
	};

	return claims_run("event", tests);
}
