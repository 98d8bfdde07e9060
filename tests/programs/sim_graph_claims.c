/* What only the simulated driver promises about captures and graphs. */
#include "../conformance/claims.h"

static CUcontext context_new(void)
{
	CUcontext ctx;

	ck_assert_ok(cuCtxCreate(&ctx, NULL, 0, 0));
	return ctx;
}

static CUgraphExec exec_new(CUgraph graph)
{
	CUgraphExec exec;

	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	return exec;
}

static void fill(CUdeviceptr numbers, CUstream stream)
{
	ck_assert_ok(cuMemsetD32Async(numbers, 1, CLAIMS_COUNT, stream));
}

/* Makes a graph of so many fills of ten numbers each, side by side or one after
 * the other. */
static CUgraph fills_new(CUdeviceptr numbers, int count, int chained)
{
	CUDA_MEMSET_NODE_PARAMS params = {
		.dst = numbers, .elementSize = 4, .width = 10, .height = 1};
	CUgraphNode last = NULL;
	CUgraph graph;

	ck_assert_ok(cuGraphCreate(&graph, 0));
	for (int i = 0; i < count; i++, params.dst += 10 * sizeof(int))
		ck_assert_ok(cuGraphAddMemsetNode(
			&last, graph, &last, chained && last, &params, NULL));
	return graph;
}

static float launch_time(CUgraph graph, CUstream stream)
{
	CUgraphExec exec = exec_new(graph);
	CUevent start, end;
	float ms = 0;

	ck_assert_ok(cuEventCreate(&start, CU_EVENT_DEFAULT));
	ck_assert_ok(cuEventCreate(&end, CU_EVENT_DEFAULT));
	ck_assert_ok(cuEventRecord(start, stream));
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuEventRecord(end, stream));
	ck_assert_ok(cuEventSynchronize(end));
	ck_assert_ok(cuEventElapsedTime(&ms, start, end));
	return ms;
}

START_TEST(branches_take_the_time_of_one)
{
	CUdeviceptr numbers;
	CUstream stream;
	float one, beside, chained;

	claims_open();
	numbers = claims_numbers();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	one = launch_time(fills_new(numbers, 1, 0), stream);
	beside = launch_time(fills_new(numbers, 50, 0), stream);
	chained = launch_time(fills_new(numbers, 50, 1), stream);
	ck_assert_float_gt(one, 0);
	ck_assert_float_eq_tol(beside, one, 0.0001F);
	ck_assert_float_gt(chained, 10 * one);
}
END_TEST

static void wait_for_note(void *user)
{
	while (!__atomic_load_n((int *)user, __ATOMIC_ACQUIRE))
		;
}

START_TEST(branches_run_side_by_side)
{
	CUDA_MEMSET_NODE_PARAMS notes = {
		.value = 1, .elementSize = 4, .width = 1, .height = 1};
	CUDA_HOST_NODE_PARAMS waits = {.fn = wait_for_note};
	CUstream stream;
	CUgraphNode node;
	CUgraph graph;
	int *noted;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuMemAllocHost((void **)&noted, sizeof(*noted)));
	*noted = 0;
	waits.userData = noted;
	notes.dst = (CUdeviceptr)noted;
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddHostNode(&node, graph, NULL, 0, &waits));
	ck_assert_ok(cuGraphAddMemsetNode(&node, graph, NULL, 0, &notes, NULL));
	ck_assert_ok(cuGraphLaunch(exec_new(graph), stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(*noted, 1);
}
END_TEST

START_TEST(stream_that_captures_can_be_destroyed)
{
	CUstream stream, other;
	CUdeviceptr numbers;
	CUevent event;

	claims_open();
	numbers = claims_numbers();
	event = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	fill(numbers, stream);
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_ok(cuStreamWaitEvent(other, event, 0));
	ck_assert_ok(cuStreamDestroy(stream));
	ck_assert_int_eq(claims_capturing(other),
			 CU_STREAM_CAPTURE_STATUS_NONE);
	fill(numbers, other);
	ck_assert_ok(cuStreamSynchronize(other));
	ck_assert_int_eq(claims_number(numbers, 0), 1);
}
END_TEST

/* Begins a capture in a stream, has `other` join it and work there. */
static CUstream capture_with(CUstream other, CUevent event, CUdeviceptr numbers)
{
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);

	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_ok(cuStreamWaitEvent(other, event, 0));
	fill(numbers, other);
	return stream;
}

START_TEST(stream_that_leaves_makes_its_capture_invalid)
{
	CUstream stream, other;

	claims_open();
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	stream = capture_with(other, claims_event(), claims_numbers());
	ck_assert_ok(cuStreamDestroy(other));
	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_INVALIDATED);
}
END_TEST

START_TEST(stream_that_was_joined_can_be_destroyed)
{
	CUstream stream, other;
	CUdeviceptr numbers;
	CUevent event;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	event = claims_event();
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	stream = capture_with(other, event, numbers);
	ck_assert_ok(cuEventRecord(event, other));
	ck_assert_ok(cuStreamWaitEvent(stream, event, 0));
	ck_assert_ok(cuStreamDestroy(other));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_ok(cuGraphLaunch(exec_new(graph), stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(claims_number(numbers, 0), 1);
}
END_TEST

START_TEST(context_takes_its_captures_along)
{
	CUcontext mine = claims_open(), theirs = context_new();
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUdeviceptr numbers = claims_numbers(), addr;

	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	fill(numbers, stream);
	ck_assert_ok(cuCtxDestroy(theirs));
	ck_assert_ok(cuCtxSetCurrent(mine));
	ck_assert_ok(cuMemAlloc(&addr, CLAIMS_COUNT));
}
END_TEST

START_TEST(graph_of_a_destroyed_context_does_not_launch)
{
	CUcontext mine = claims_open(), theirs = context_new();
	CUgraphExec exec = exec_new(fills_new(claims_numbers(), 2, 0));
	CUstream stream;

	ck_assert_ok(cuCtxDestroy(theirs));
	ck_assert_ok(cuCtxSetCurrent(mine));
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_cu(cuGraphLaunch(exec, stream),
		     CUDA_ERROR_CONTEXT_IS_DESTROYED);
	ck_assert_ok(cuStreamQuery(stream));
	ck_assert_ok(cuGraphExecDestroy(exec));
}
END_TEST

START_TEST(handles_of_destroyed_graphs_are_known)
{
	CUgraphExec exec;
	CUgraph graph;

	claims_open();
	ck_assert_ok(cuGraphCreate(&graph, 0));
	exec = exec_new(graph);
	ck_assert_ok(cuGraphDestroy(graph));
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_cu(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(dependencies_are_added_all_or_none)
{
	CUgraphNode nodes[3], from[2], to[2];
	CUgraph graph;
	size_t count = 9;

	claims_open();
	ck_assert_ok(cuGraphCreate(&graph, 0));
	for (int i = 0; i < 3; i++)
		ck_assert_ok(cuGraphAddEmptyNode(&nodes[i], graph, NULL, 0));
	from[0] = nodes[0];
	to[0] = nodes[1];
	from[1] = to[1] = nodes[2];
	ck_assert_cu(cuGraphAddDependencies(graph, from, to, NULL, 2),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(node_does_not_record_an_event_that_took_its_ones_place)
{
	CUevent event, other;
	CUgraphNode node;
	CUgraph graph;
	float ms;

	claims_open();
	ck_assert_ok(cuEventCreate(&event, CU_EVENT_DEFAULT));
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddEventRecordNode(&node, graph, NULL, 0, event));
	ck_assert_ok(cuEventDestroy(event));
	ck_assert_ok(cuEventCreate(&other, CU_EVENT_DEFAULT));
	ck_assert_ptr_eq(other, event); /* or this says nothing */
	ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_cu(cuEventElapsedTime(&ms, other, other),
		     CUDA_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(discards_are_not_captured)
{
	size_t size = 1 << 20;
	CUdeviceptr ptr;
	CUstream stream;
	CUgraph graph;

	claims_open();
	ck_assert_ok(cuMemAllocManaged(&ptr, size, CU_MEM_ATTACH_GLOBAL));
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	ck_assert_cu(cuMemDiscardBatchAsync(&ptr, &size, 1, 0, stream),
		     CUDA_ERROR_NOT_SUPPORTED);
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
}
END_TEST

START_TEST(a_free_of_other_memory_leaves_a_capture_alone)
{
	CUstream stream;
	CUdeviceptr addr;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuMemAllocAsync(&addr, CLAIMS_COUNT, stream));
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_cu(cuMemFreeAsync(addr, stream), CUDA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(claims_capturing(stream),
			 CU_STREAM_CAPTURE_STATUS_ACTIVE);
}
END_TEST

static size_t free_bytes(void)
{
	size_t bytes;

	ck_assert_ok(cuMemGetInfo(&bytes, NULL));
	return bytes;
}

START_TEST(memory_of_a_graph_goes_back_with_its_last_user)
{
	size_t before, size = 32 << 20;
	CUgraphExec exec;
	CUstream stream;
	CUdeviceptr addr;
	CUgraph graph;

	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	before = free_bytes();
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_ok(cuMemAllocAsync(&addr, size, stream));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_uint_eq(free_bytes(), before - size);
	exec = exec_new(graph);
	ck_assert_cu(cuMemFreeAsync(addr, stream), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuGraphDestroy(graph));
	ck_assert_ok(cuGraphExecDestroy(exec));
	claims_hold(stream);
	ck_assert_ok(cuMemFreeAsync(addr, stream));
	ck_assert_uint_eq(free_bytes(), before - size);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_uint_eq(free_bytes(), before);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		branches_take_the_time_of_one,
		branches_run_side_by_side,
		stream_that_captures_can_be_destroyed,
		stream_that_leaves_makes_its_capture_invalid,
		stream_that_was_joined_can_be_destroyed,
		context_takes_its_captures_along,
		graph_of_a_destroyed_context_does_not_launch,
		handles_of_destroyed_graphs_are_known,
		dependencies_are_added_all_or_none,
		node_does_not_record_an_event_that_took_its_ones_place,
		discards_are_not_captured,
		a_free_of_other_memory_leaves_a_capture_alone,
		memory_of_a_graph_goes_back_with_its_last_user,
		NULL,
	};

	return claims_run("sim_graph", tests);
}
