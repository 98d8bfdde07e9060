#include "claims.h"

/* Makes a graph of fills, with one value after the other. */
static CUgraph fills_graph(CUdeviceptr numbers, unsigned first, unsigned last)
{
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	CUgraph graph;

	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (unsigned i = first; i <= last; i++)
		ck_assert_ok(
			cuMemsetD32Async(numbers, i, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	return graph;
}

static CUgraphExec fills_exec(CUdeviceptr numbers, unsigned first,
			      unsigned last)
{
	CUgraphExec exec;

	ck_assert_ok(cuGraphInstantiate(&exec,
					fills_graph(numbers, first, last), 0));
	return exec;
}

START_TEST(update_takes_new_parameters)
{
	CUgraphExecUpdateResultInfo info;
	CUdeviceptr numbers;
	CUgraphExec exec;

	claims_open();
	numbers = claims_numbers();
	exec = fills_exec(numbers, 1, 3);
	ck_assert_ok(
		cuGraphExecUpdate(exec, fills_graph(numbers, 4, 6), &info));
	ck_assert_int_eq(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 6);
}
END_TEST

START_TEST(update_with_more_nodes_fails)
{
	CUgraphExecUpdateResultInfo info;
	CUdeviceptr numbers;
	CUgraphExec exec;

	claims_open();
	numbers = claims_numbers();
	exec = fills_exec(numbers, 1, 1);
	ck_assert_cu(cuGraphExecUpdate(exec, fills_graph(numbers, 2, 3), &info),
		     CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	ck_assert_int_eq(info.result,
			 CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
	ck_assert_ptr_null(info.errorNode);
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 1);
}
END_TEST

START_TEST(update_with_another_kind_of_node_fails)
{
	CUgraphExecUpdateResultInfo info;
	CUdeviceptr numbers;
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph other;

	claims_open();
	numbers = claims_numbers();
	exec = fills_exec(numbers, 1, 1);
	ck_assert_ok(cuGraphCreate(&other, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&node, other, NULL, 0));
	ck_assert_cu(cuGraphExecUpdate(exec, other, &info),
		     CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
	ck_assert_int_eq(info.result,
			 CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
	ck_assert_ptr_eq(info.errorNode, node);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		update_takes_new_parameters,
		update_with_more_nodes_fails,
		update_with_another_kind_of_node_fails,
		NULL,
	};

	return claims_run("graph_update", tests);
}
