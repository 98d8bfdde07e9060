#include "claims.h"

static CUgraphExec exec_of(CUgraph graph)
{
	CUgraphExec exec;

	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	return exec;
}

static CUgraph graph_new(void)
{
	CUgraph graph;

	ck_assert_ok(cuGraphCreate(&graph, 0));
	return graph;
}

START_TEST(launch_records_the_event_of_a_node)
{
	CUdeviceptr numbers;
	CUgraphNode node, last;
	CUevent event, told;
	CUstream stream;
	CUgraph graph;
	CUDA_MEMSET_NODE_PARAMS fill = {.value = 7,
					.elementSize = 4,
					.width = CLAIMS_COUNT,
					.height = 1};
	CUcontext ctx = claims_open();

	fill.dst = numbers = claims_numbers();
	event = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	graph = graph_new();
	ck_assert_ok(cuGraphAddMemsetNode(&node, graph, NULL, 0, &fill, ctx));
	ck_assert_ok(cuGraphAddEventRecordNode(&last, graph, &node, 1, event));
	ck_assert_ok(cuGraphEventRecordNodeGetEvent(last, &told));
	ck_assert_ptr_eq(told, event);
	claims_hold(stream);
	ck_assert_ok(cuGraphLaunch(exec_of(graph), stream));
	ck_assert_cu(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuEventSynchronize(event));
	ck_assert_int_eq(claims_number(numbers, 3), 7);
}
END_TEST

START_TEST(launch_waits_for_the_event_of_a_node)
{
	CUstream first, second;
	CUgraphNode node;
	CUevent event, done;
	CUgraph graph;

	claims_open();
	event = claims_event();
	done = claims_event();
	first = claims_stream(CU_STREAM_NON_BLOCKING);
	second = claims_stream(CU_STREAM_NON_BLOCKING);
	graph = graph_new();
	ck_assert_ok(cuGraphAddEventWaitNode(&node, graph, NULL, 0, event));
	claims_hold(first);
	ck_assert_ok(cuEventRecord(event, first));
	ck_assert_ok(cuGraphLaunch(exec_of(graph), second));
	ck_assert_ok(cuEventRecord(done, second));
	ck_assert_cu(cuEventQuery(done), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuEventSynchronize(done));
}
END_TEST

START_TEST(executable_takes_another_event)
{
	CUevent event, other;
	CUgraphExec exec;
	CUgraphNode node;
	CUstream stream;
	CUgraph graph;

	claims_open();
	event = claims_event();
	other = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	graph = graph_new();
	ck_assert_ok(cuGraphAddEventRecordNode(&node, graph, NULL, 0, event));
	exec = exec_of(graph);
	ck_assert_ok(cuGraphExecEventRecordNodeSetEvent(exec, node, other));
	claims_hold(stream);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuEventQuery(event));
	ck_assert_cu(cuEventQuery(other), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

static CUgraphNodeType only_type(CUgraph graph)
{
	CUgraphNodeType type;
	CUgraphNode node;
	size_t one = 1;

	ck_assert_ok(cuGraphGetNodes(graph, &node, &one));
	ck_assert_uint_eq(one, 1);
	ck_assert_ok(cuGraphNodeGetType(node, &type));
	return type;
}

START_TEST(external_record_and_wait_are_nodes)
{
	CUstream stream;
	CUevent event;
	CUgraph graph;

	claims_open();
	event = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_ok(cuEventRecordWithFlags(event, stream,
					    CU_EVENT_RECORD_EXTERNAL));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_int_eq(only_type(graph), CU_GRAPH_NODE_TYPE_EVENT_RECORD);
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_ok(cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_int_eq(only_type(graph), CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}
END_TEST

START_TEST(external_record_outside_a_capture_is_an_error)
{
	CUstream stream;
	CUevent event;

	claims_open();
	event = claims_event();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_cu(
		cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL),
		CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		launch_records_the_event_of_a_node,
		launch_waits_for_the_event_of_a_node,
		executable_takes_another_event,
		external_record_and_wait_are_nodes,
		external_record_outside_a_capture_is_an_error,
		NULL,
	};

	return claims_run("graph_event", tests);
}
