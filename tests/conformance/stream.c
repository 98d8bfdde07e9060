#include "claims.h"

#include <pthread.h>
#include <sched.h>

static void append(void *user)
{
	int *order = user;

	order[0]++;
	order[order[0]] = order[0];
}

START_TEST(new_stream_is_idle)
{
	CUstream stream;

	claims_open();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuStreamQuery(stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuStreamDestroy(stream));
}
END_TEST

START_TEST(stream_with_work_is_not_ready)
{
	CUstream stream;

	claims_open();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	claims_hold(stream);
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuStreamQuery(stream));
}
END_TEST

START_TEST(host_functions_run_in_order)
{
	int order[5] = {0};
	CUstream stream;

	claims_open();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	for (int i = 0; i < 4; i++)
		ck_assert_ok(cuLaunchHostFunc(stream, append, order));
	ck_assert_ok(cuStreamSynchronize(stream));
	for (int i = 1; i < 5; i++)
		ck_assert_int_eq(order[i], i);
}
END_TEST

static void note_status(CUstream stream, CUresult status, void *user)
{
	(void)stream;
	*(CUresult *)user = status;
}

START_TEST(callback_is_told_the_status)
{
	CUresult status = CUDA_ERROR_UNKNOWN;
	CUstream stream;

	claims_open();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	ck_assert_ok(cuStreamAddCallback(stream, note_status, &status, 0));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_cu(status, CUDA_SUCCESS);
}
END_TEST

START_TEST(blocking_stream_waits_for_the_legacy_one)
{
	CUdeviceptr numbers;
	CUstream stream;

	claims_open();
	numbers = claims_numbers();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	claims_hold(CU_STREAM_LEGACY);
	ck_assert_ok(claims_work(numbers, stream));
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuStreamQuery(CU_STREAM_LEGACY));
}
END_TEST

START_TEST(legacy_stream_waits_for_blocking_ones)
{
	CUdeviceptr numbers;
	CUstream stream;

	claims_open();
	numbers = claims_numbers();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	claims_hold(stream);
	ck_assert_ok(claims_work(numbers, CU_STREAM_LEGACY));
	ck_assert_cu(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(CU_STREAM_LEGACY));
	ck_assert_ok(cuStreamQuery(stream));
	ck_assert_int_eq(claims_number(numbers, 0), 1);
}
END_TEST

/* What is put into the legacy stream orders the blocking ones, whatever the
 * event that the call is about has to do with them. */
static void check_orders(CUresult (*call)(CUevent event))
{
	CUdeviceptr numbers;
	CUstream first, second;
	CUevent event;

	claims_open();
	numbers = claims_numbers();
	first = claims_stream(CU_STREAM_DEFAULT);
	second = claims_stream(CU_STREAM_DEFAULT);
	event = claims_event();
	ck_assert_ok(
		cuEventRecord(event, claims_stream(CU_STREAM_NON_BLOCKING)));
	claims_hold(first);
	ck_assert_ok(call(event));
	ck_assert_ok(claims_work(numbers, second));
	for (int i = 0; i < 1000; i++) {
		ck_assert_cu(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
		sched_yield();
	}
	claims_release();
	ck_assert_ok(cuStreamSynchronize(second));
	ck_assert_ok(cuStreamQuery(first));
}

static CUresult record_in_legacy(CUevent event)
{
	return cuEventRecord(event, CU_STREAM_LEGACY);
}

static CUresult wait_in_legacy(CUevent event)
{
	return cuStreamWaitEvent(CU_STREAM_LEGACY, event, 0);
}

START_TEST(a_record_in_the_legacy_stream_puts_blocking_ones_in_order)
{
	check_orders(record_in_legacy);
}
END_TEST

START_TEST(a_wait_in_the_legacy_stream_puts_blocking_ones_in_order)
{
	check_orders(wait_in_legacy);
}
END_TEST

START_TEST(non_blocking_stream_passes_the_legacy_one)
{
	CUdeviceptr numbers;
	CUstream stream;

	claims_open();
	numbers = claims_numbers();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	claims_hold(CU_STREAM_LEGACY);
	ck_assert_ok(claims_work(numbers, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_cu(cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(claims_number(numbers, 0), 1);
}
END_TEST

START_TEST(work_of_a_destroyed_stream_completes)
{
	int order[5] = {0};
	CUstream stream;

	claims_open();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	claims_hold(stream);
	ck_assert_ok(cuLaunchHostFunc(stream, append, order));
	ck_assert_ok(cuStreamDestroy(stream));
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(order[0], 1);
}
END_TEST

START_TEST(context_synchronise_covers_every_stream)
{
	int order[5] = {0};
	CUstream stream;

	claims_open();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < 4; i++)
		ck_assert_ok(cuLaunchHostFunc(stream, append, order));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(order[0], 4);
}
END_TEST

START_TEST(stream_tells_what_it_is)
{
	unsigned long long id, other;
	CUstream stream;
	CUcontext ctx, mine;
	CUdevice dev;
	unsigned flags;
	int priority, least, greatest;

	ctx = claims_open();
	ck_assert_ok(cuCtxGetStreamPriorityRange(&least, &greatest));
	ck_assert_int_le(greatest, least);
	ck_assert_ok(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
						greatest - 100));
	ck_assert_ok(cuStreamGetPriority(stream, &priority));
	ck_assert_int_eq(priority, greatest);
	ck_assert_ok(cuStreamGetFlags(stream, &flags));
	ck_assert_uint_eq(flags, CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuStreamGetCtx(stream, &mine));
	ck_assert_ptr_eq(mine, ctx);
	ck_assert_ok(cuStreamGetDevice(stream, &dev));
	ck_assert_int_eq(dev, 0);
	ck_assert_ok(cuStreamGetId(stream, &id));
	ck_assert_ok(cuStreamGetId(CU_STREAM_LEGACY, &other));
	ck_assert_uint_ne(id, other);
}
END_TEST

START_TEST(default_streams_cannot_be_destroyed)
{
	claims_open();
	ck_assert_cu(cuStreamDestroy(CU_STREAM_LEGACY),
		     CUDA_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(unknown_stream_flags_are_invalid)
{
	CUstream stream;

	claims_open();
	ck_assert_cu(cuStreamCreate(&stream, 0x40), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

struct visit {
	CUcontext ctx;
	CUdeviceptr numbers;
};

static void *own_stream_use(void *user)
{
	const struct visit *visit = user;

	ck_assert_ok(cuCtxSetCurrent(visit->ctx));
	return (void *)(size_t)(claims_work(visit->numbers,
					    CU_STREAM_PER_THREAD) ||
				cuStreamSynchronize(CU_STREAM_PER_THREAD));
}

START_TEST(another_threads_default_stream_is_its_own)
{
	struct visit visit = {.ctx = claims_open()};
	pthread_t thread;
	void *failed;

	visit.numbers = claims_numbers();
	claims_hold(CU_STREAM_PER_THREAD);
	ck_assert_int_eq(pthread_create(&thread, NULL, own_stream_use, &visit),
			 0);
	ck_assert_int_eq(pthread_join(thread, &failed), 0);
	ck_assert_ptr_null(failed);
	ck_assert_cu(cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
}
END_TEST

/* They run one after another, and not beside each other. */
START_TEST(host_functions_of_other_streams_wait_for_their_turn)
{
	CUstream first, second;
	int order[5] = {0};

	claims_open();
	first = claims_stream(CU_STREAM_NON_BLOCKING);
	second = claims_stream(CU_STREAM_NON_BLOCKING);
	claims_hold(first);
	claims_held();
	ck_assert_ok(cuLaunchHostFunc(second, append, order));
	for (int i = 0; i < 1000; i++) {
		ck_assert_cu(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
		sched_yield();
	}
	claims_release();
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(order[0], 1);
}
END_TEST

START_TEST(no_stream_is_capturing)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
	CUstream stream;

	claims_open();
	ck_assert_ok(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	ck_assert_ok(cuStreamIsCapturing(stream, &status));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_NONE);
}
END_TEST

START_TEST(capture_mode_is_exchanged)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	claims_open();
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&mode));
	ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&mode));
	ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		new_stream_is_idle,
		stream_with_work_is_not_ready,
		host_functions_run_in_order,
		callback_is_told_the_status,
		blocking_stream_waits_for_the_legacy_one,
		legacy_stream_waits_for_blocking_ones,
		a_record_in_the_legacy_stream_puts_blocking_ones_in_order,
		a_wait_in_the_legacy_stream_puts_blocking_ones_in_order,
		non_blocking_stream_passes_the_legacy_one,
		work_of_a_destroyed_stream_completes,
		context_synchronise_covers_every_stream,
		stream_tells_what_it_is,
		default_streams_cannot_be_destroyed,
		unknown_stream_flags_are_invalid,
		another_threads_default_stream_is_its_own,
		host_functions_of_other_streams_wait_for_their_turn,
		no_stream_is_capturing,
		capture_mode_is_exchanged,
		NULL,
	};

	return claims_run("stream", tests);
}
