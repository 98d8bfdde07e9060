#include "claims.h"

#include <pthread.h>

static void begin(CUstream stream, CUstreamCaptureMode mode)
{
	ck_assert_ok(cuStreamBeginCapture(stream, mode));
}

static void check_valid(CUstream stream)
{
	CUgraph graph;

	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_ACTIVE);
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_ok(cuGraphDestroy(graph));
}

static void run(CUgraph graph, CUstream stream)
{
	CUgraphExec exec;

	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_ok(cuGraphDestroy(graph));
}

START_TEST(captured_work_does_not_run)
{
	CUdeviceptr numbers;
	CUstream stream;
	CUfunction add;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(claims_add(add, numbers, 5, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(claims_number(numbers, 0), 0);
	run(graph, stream);
	ck_assert_int_eq(claims_number(numbers, CLAIMS_COUNT - 1), 5);
}
END_TEST

START_TEST(copies_and_fills_are_captured)
{
	CUdeviceptr from, to;
	CUstream stream;
	CUgraph graph;
	size_t count = 0;

	claims_open();
	from = claims_numbers();
	to = claims_numbers();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuMemsetD32Async(from, 7, CLAIMS_COUNT, stream));
	ck_assert_ok(cuMemcpyDtoDAsync(to, from, CLAIMS_COUNT * sizeof(int),
				       stream));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_ok(cuGraphGetNodes(graph, NULL, &count));
	ck_assert_uint_eq(count, 2);
	run(graph, stream);
	ck_assert_int_eq(claims_number(to, 3), 7);
}
END_TEST

START_TEST(capture_tells_its_status_and_id)
{
	CUstreamCaptureStatus status;
	CUstream stream, other;
	cuuint64_t first = 0, second = 0;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_NONE);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	begin(other, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuStreamGetCaptureInfo(stream, &status, &first, NULL, NULL,
					    NULL, NULL));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	ck_assert_ok(cuStreamGetCaptureInfo(other, &status, &second, NULL, NULL,
					    NULL, NULL));
	ck_assert_uint_ne(first, second);
	check_valid(other);
	check_valid(stream);
}
END_TEST

START_TEST(legacy_stream_cannot_capture)
{
	claims_open();
	ck_assert_int_ne(cuStreamBeginCapture(CU_STREAM_LEGACY,
					      CU_STREAM_CAPTURE_MODE_RELAXED),
			 CUDA_SUCCESS);
	ck_assert_int_eq(claims_capturing(CU_STREAM_LEGACY),
			 CU_STREAM_CAPTURE_STATUS_NONE);
}
END_TEST

START_TEST(per_thread_stream_can_capture)
{
	claims_open();
	begin(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_GLOBAL);
	check_valid(CU_STREAM_PER_THREAD);
}
END_TEST

START_TEST(event_brings_another_stream_in)
{
	CUevent forked, joined;
	CUdeviceptr one, two;
	CUstream stream, other;
	CUfunction add;
	CUgraph graph;

	claims_open();
	one = claims_numbers();
	two = claims_numbers();
	add = claims_kernel();
	forked = claims_event();
	joined = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuEventRecord(forked, stream));
	ck_assert_ok(cuStreamWaitEvent(other, forked, 0));
	ck_assert_int_eq(claims_capturing(other),
			 CU_STREAM_CAPTURE_STATUS_ACTIVE);
	ck_assert_ok(claims_add(add, one, 1, CLAIMS_COUNT, stream));
	ck_assert_ok(claims_add(add, two, 2, CLAIMS_COUNT, other));
	ck_assert_ok(cuEventRecord(joined, other));
	ck_assert_ok(cuStreamWaitEvent(stream, joined, 0));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_int_eq(claims_capturing(other),
			 CU_STREAM_CAPTURE_STATUS_NONE);
	run(graph, stream);
	ck_assert_int_eq(claims_number(one, 0), 1);
	ck_assert_int_eq(claims_number(two, 0), 2);
}
END_TEST

START_TEST(stream_of_another_context_comes_in)
{
	CUcontext mine = claims_open(), theirs;
	CUevent forked = claims_event(), joined;
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING), other;
	CUgraph graph;

	ck_assert_ok(cuCtxCreate(&theirs, NULL, 0, 0));
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	joined = claims_event();
	ck_assert_ok(cuCtxSetCurrent(mine));
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuEventRecord(forked, stream));
	ck_assert_ok(cuStreamWaitEvent(other, forked, 0));
	ck_assert_int_eq(claims_capturing(other),
			 CU_STREAM_CAPTURE_STATUS_ACTIVE);
	ck_assert_ok(cuEventRecord(joined, other));
	ck_assert_ok(cuStreamWaitEvent(stream, joined, 0));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_ok(cuGraphDestroy(graph));
}
END_TEST

START_TEST(fork_that_is_not_joined_is_an_error)
{
	CUgraph graph = (CUgraph)&graph;
	CUdeviceptr numbers;
	CUstream stream, other;
	CUevent forked;

	claims_open();
	numbers = claims_numbers();
	forked = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuEventRecord(forked, stream));
	ck_assert_ok(cuStreamWaitEvent(other, forked, 0));
	ck_assert_ok(cuMemsetD32Async(numbers, 1, CLAIMS_COUNT, other));
	ck_assert_cu(cuStreamEndCapture(stream, &graph),
		     CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_NONE);
	ck_assert_int_eq(claims_capturing(other),
			 CU_STREAM_CAPTURE_STATUS_NONE);
}
END_TEST

START_TEST(capture_ends_in_its_own_stream)
{
	CUstream stream, other;
	CUevent forked;
	CUgraph graph;

	claims_open();
	forked = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuEventRecord(forked, stream));
	ck_assert_ok(cuStreamWaitEvent(other, forked, 0));
	ck_assert_cu(cuStreamEndCapture(other, &graph),
		     CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
}
END_TEST

START_TEST(captures_do_not_merge)
{
	CUstream stream, other;
	CUevent event;

	claims_open();
	event = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	begin(other, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_cu(cuStreamWaitEvent(other, event, 0),
		     CUDA_ERROR_STREAM_CAPTURE_MERGE);
}
END_TEST

static void *ender(void *user)
{
	CUgraph graph;

	return (void *)(size_t)cuStreamEndCapture(user, &graph);
}

static CUresult end_elsewhere(CUstream stream)
{
	pthread_t thread;
	void *res;

	ck_assert_int_eq(pthread_create(&thread, NULL, ender, stream), 0);
	ck_assert_int_eq(pthread_join(thread, &res), 0);
	return (CUresult)(size_t)res;
}

START_TEST(capture_ends_in_its_own_thread)
{
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
	ck_assert_cu(end_elsewhere(stream),
		     CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
}
END_TEST

START_TEST(relaxed_capture_ends_in_any_thread)
{
	CUstream stream;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	begin(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	ck_assert_ok(end_elsewhere(stream));
}
END_TEST

START_TEST(capture_goes_on_in_a_given_graph)
{
	CUdeviceptr numbers;
	CUgraph graph, same;
	CUgraphNode root;
	CUstream stream;
	size_t count = 0;

	claims_open();
	numbers = claims_numbers();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&root, graph, NULL, 0));
	ck_assert_ok(cuStreamBeginCaptureToGraph(
		stream, graph, &root, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_ok(cuMemsetD32Async(numbers, 9, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamEndCapture(stream, &same));
	ck_assert_ptr_eq(same, graph);
	ck_assert_ok(cuGraphGetRootNodes(graph, NULL, &count));
	ck_assert_uint_eq(count, 1);
	run(graph, stream);
	ck_assert_int_eq(claims_number(numbers, 0), 9);
}
END_TEST

START_TEST(graph_that_was_given_need_not_be_told_at_the_end)
{
	CUdeviceptr numbers;
	CUgraph graph;
	CUstream stream;

	claims_open();
	numbers = claims_numbers();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuStreamBeginCaptureToGraph(
		stream, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_ok(cuMemsetD32Async(numbers, 9, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamEndCapture(stream, NULL));
	run(graph, stream);
	ck_assert_int_eq(claims_number(numbers, 0), 9);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		captured_work_does_not_run,
		copies_and_fills_are_captured,
		capture_tells_its_status_and_id,
		legacy_stream_cannot_capture,
		per_thread_stream_can_capture,
		event_brings_another_stream_in,
		stream_of_another_context_comes_in,
		fork_that_is_not_joined_is_an_error,
		capture_ends_in_its_own_stream,
		captures_do_not_merge,
		capture_ends_in_its_own_thread,
		relaxed_capture_ends_in_any_thread,
		capture_goes_on_in_a_given_graph,
		graph_that_was_given_need_not_be_told_at_the_end,
		NULL,
	};

	return claims_run("capture", tests);
}
