/* Nodes that are made by one structure for all kinds, new parameters for them,
 * and graphs that belong to a node. */
#include "claims.h"

static CUgraph graph_new(void)
{
	CUgraph graph;

	ck_assert_ok(cuGraphCreate(&graph, 0));
	return graph;
}

static CUgraphExec exec_new(CUgraph graph)
{
	CUgraphExec exec;

	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	return exec;
}

static CUgraphNodeParams fill_params(CUcontext ctx, CUdeviceptr numbers,
				     unsigned value)
{
	return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMSET,
				   .memset = {.dst = numbers,
					      .value = value,
					      .elementSize = 4,
					      .width = CLAIMS_COUNT,
					      .height = 1,
					      .ctx = ctx}};
}

static CUgraphNodeParams copy_params(CUcontext ctx, CUdeviceptr to,
				     CUdeviceptr from)
{
	return (CUgraphNodeParams){
		.type = CU_GRAPH_NODE_TYPE_MEMCPY,
		.memcpy = {.copyCtx = ctx,
			   .copyParams = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
					  .srcDevice = from,
					  .dstMemoryType = CU_MEMORYTYPE_DEVICE,
					  .dstDevice = to,
					  .WidthInBytes =
						  CLAIMS_COUNT * sizeof(int),
					  .Height = 1,
					  .Depth = 1}}};
}

static CUgraphNode add(CUgraph graph, CUgraphNode before,
		       CUgraphNodeParams *params)
{
	CUgraphNode node;

	ck_assert_ok(
		cuGraphAddNode(&node, graph, &before, NULL, !!before, params));
	return node;
}

static CUgraphNode add_fill(CUgraph graph, CUcontext ctx, CUdeviceptr numbers,
			    unsigned value)
{
	CUgraphNodeParams params = fill_params(ctx, numbers, value);

	return add(graph, NULL, &params);
}

START_TEST(one_structure_adds_nodes_of_all_kinds)
{
	CUgraphNodeParams empty = {.type = CU_GRAPH_NODE_TYPE_EMPTY}, params;
	CUdeviceptr from, to;
	CUgraph graph;
	CUcontext ctx = claims_open();
	CUgraphNode last;

	from = claims_numbers();
	to = claims_numbers();
	graph = graph_new();
	last = add(graph, add_fill(graph, ctx, from, 7), &empty);
	params = copy_params(ctx, to, from);
	add(graph, last, &params);
	ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
	ck_assert_int_eq(claims_number(to, 0), 7);
}
END_TEST

START_TEST(new_parameters_are_for_what_is_instantiated_later)
{
	CUgraphNodeParams params;
	CUdeviceptr numbers;
	CUcontext ctx = claims_open();
	CUgraph graph = graph_new();
	CUgraphExec before;
	CUgraphNode node;

	numbers = claims_numbers();
	node = add_fill(graph, ctx, numbers, 1);
	before = exec_new(graph);
	params = fill_params(ctx, numbers, 2);
	ck_assert_ok(cuGraphNodeSetParams(node, &params));
	ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 2);
	ck_assert_ok(cuGraphLaunch(before, NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 1);
}
END_TEST

START_TEST(new_parameters_have_forms_of_their_kind)
{
	CUDA_MEMSET_NODE_PARAMS fill = {
		.value = 3, .elementSize = 4, .width = 10, .height = 1};
	CUgraphNodeParams copy;
	CUdeviceptr from, to;
	CUcontext ctx = claims_open();
	CUgraph graph = graph_new();
	CUgraphNode first, second;

	from = fill.dst = claims_numbers();
	to = claims_numbers();
	first = add_fill(graph, ctx, to, 1);
	copy = copy_params(ctx, from, to);
	second = add(graph, first, &copy);
	ck_assert_ok(cuGraphMemsetNodeSetParams(first, &fill));
	copy = copy_params(ctx, to, from);
	ck_assert_ok(
		cuGraphMemcpyNodeSetParams(second, &copy.memcpy.copyParams));
	ck_assert_cu(cuGraphMemcpyNodeSetParams(first, &copy.memcpy.copyParams),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
	ck_assert_int_eq(claims_number(to, 9), 3);
	ck_assert_int_eq(claims_number(to, 10), 0);
}
END_TEST

START_TEST(an_executable_takes_parameters_of_its_own)
{
	CUgraphNodeParams params;
	CUdeviceptr first, second, third;
	CUcontext ctx = claims_open();
	CUgraph graph = graph_new();
	CUgraphExec exec;
	CUgraphNode node, copy;

	first = claims_numbers();
	second = claims_numbers();
	third = claims_numbers();
	node = add_fill(graph, ctx, first, 1);
	params = copy_params(ctx, second, first);
	copy = add(graph, node, &params);
	exec = exec_new(graph);
	params = fill_params(ctx, first, 5);
	ck_assert_ok(cuGraphExecNodeSetParams(exec, node, &params));
	params = copy_params(ctx, third, first);
	ck_assert_ok(cuGraphExecMemcpyNodeSetParams(
		exec, copy, &params.memcpy.copyParams, ctx));
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_int_eq(claims_number(third, 0), 5);
	ck_assert_int_eq(claims_number(second, 0), 0);
	ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
	ck_assert_int_eq(claims_number(second, 0), 1);
}
END_TEST

/* A node of an executable accepts only memory of the same context as before. */
START_TEST(an_executable_keeps_to_its_device)
{
	CUgraphNodeParams params;
	CUdeviceptr numbers, far;
	CUcontext ctx = claims_open(), other;
	CUgraph graph = graph_new();
	CUgraphExec exec;
	CUgraphNode node;
	int count;

	ck_assert_ok(cuDeviceGetCount(&count));
	if (count < 2)
		return;
	numbers = claims_numbers();
	node = add_fill(graph, ctx, numbers, 1);
	exec = exec_new(graph);
	ck_assert_ok(cuDevicePrimaryCtxRetain(&other, 1));
	ck_assert_ok(cuCtxSetCurrent(other));
	far = claims_numbers();
	params = fill_params(ctx, far, 5);
	ck_assert_cu(cuGraphExecNodeSetParams(exec, node, &params),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuDevicePrimaryCtxRelease(1));
}
END_TEST

static CUgraphNodeParams moved(CUgraph child)
{
	return (CUgraphNodeParams){
		.type = CU_GRAPH_NODE_TYPE_GRAPH,
		.graph = {child, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}};
}

START_TEST(a_moved_child_is_its_parents)
{
	CUgraphNodeParams params;
	CUgraph parent, child, inner;
	CUdeviceptr numbers;
	CUcontext ctx = claims_open();
	CUgraphExec exec;
	CUgraphNode node;

	numbers = claims_numbers();
	parent = graph_new();
	child = graph_new();
	params = moved(child);
	node = add(parent, NULL, &params);
	ck_assert_ok(cuGraphChildGraphNodeGetGraph(node, &inner));
	ck_assert_ptr_eq(inner, child);
	ck_assert_int_ne(cuGraphInstantiate(&exec, child, 0), CUDA_SUCCESS);
	ck_assert_int_ne(cuGraphDestroy(child), CUDA_SUCCESS);
	add_fill(child, ctx, numbers, 9);
	ck_assert_ok(cuGraphLaunch(exec_new(parent), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 9);
	ck_assert_ok(cuGraphDestroy(parent));
}
END_TEST

/* Returns the bodies of a conditional node whose value at each launch is
 * given. */
static const CUgraph *bodies(CUgraph graph, CUcontext ctx,
			     CUgraphConditionalNodeType type, unsigned size,
			     unsigned value)
{
	CUgraphNodeParams params = {
		.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
		.conditional = {.type = type, .size = size, .ctx = ctx}};

	ck_assert_ok(cuGraphConditionalHandleCreate(
		&params.conditional.handle, graph, ctx, value,
		CU_GRAPH_COND_ASSIGN_DEFAULT));
	add(graph, NULL, &params);
	return params.conditional.phGraph_out;
}

START_TEST(a_condition_picks_one_of_its_bodies)
{
	CUdeviceptr numbers;
	CUcontext ctx = claims_open();
	const CUgraph *body;
	CUgraph graph;

	numbers = claims_numbers();
	for (unsigned value = 0; value < 4; value++) {
		graph = graph_new();
		body = bodies(graph, ctx, CU_GRAPH_COND_TYPE_SWITCH, 3, value);
		for (unsigned i = 0; i < 3; i++)
			add_fill(body[i], ctx, numbers, 10 + i);
		ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
		ck_assert_int_eq(claims_number(numbers, 0),
				 value < 3 ? (int)(10 + value) : 12);
		ck_assert_ok(cuGraphDestroy(graph));
	}
	graph = graph_new();
	body = bodies(graph, ctx, CU_GRAPH_COND_TYPE_IF, 2, 0);
	add_fill(body[0], ctx, numbers, 1);
	add_fill(body[1], ctx, numbers, 2);
	ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 2);
}
END_TEST

START_TEST(a_body_is_filled_by_a_capture)
{
	CUdeviceptr numbers;
	CUcontext ctx = claims_open();
	CUgraph graph = graph_new(), same;
	CUstream stream = claims_stream(CU_STREAM_NON_BLOCKING);
	const CUgraph *body = bodies(graph, ctx, CU_GRAPH_COND_TYPE_IF, 1, 1);

	numbers = claims_numbers();
	ck_assert_ok(
		cuStreamBeginCaptureToGraph(stream, body[0], NULL, NULL, 0,
					    CU_STREAM_CAPTURE_MODE_RELAXED));
	ck_assert_ok(cuMemsetD32Async(numbers, 4, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamEndCapture(stream, &same));
	ck_assert_ptr_eq(same, body[0]);
	ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 4);
}
END_TEST

START_TEST(a_destroyed_node_goes_with_its_edges_and_its_graph)
{
	CUcontext ctx = claims_open();
	CUgraph graph = graph_new(), child = graph_new(), inner;
	CUgraphNode first, node, last, left[4];
	CUdeviceptr numbers;
	size_t count = 4;

	numbers = claims_numbers();
	first = add_fill(graph, ctx, numbers, 2);
	ck_assert_ok(cuGraphAddChildGraphNode(&node, graph, &first, 1, child));
	ck_assert_ok(cuGraphChildGraphNodeGetGraph(node, &inner));
	ck_assert_ok(cuGraphAddEmptyNode(&last, graph, &node, 1));
	ck_assert_ok(cuGraphDestroyNode(node));
	ck_assert_ok(cuGraphGetNodes(graph, left, &count));
	ck_assert_int_eq(count, 2);
	ck_assert_ok(cuGraphNodeGetDependencies(last, NULL, NULL, &count));
	ck_assert_int_eq(count, 0);
	ck_assert_ok(cuGraphLaunch(exec_new(graph), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 2);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		one_structure_adds_nodes_of_all_kinds,
		new_parameters_are_for_what_is_instantiated_later,
		new_parameters_have_forms_of_their_kind,
		an_executable_takes_parameters_of_its_own,
		an_executable_keeps_to_its_device,
		a_moved_child_is_its_parents,
		a_condition_picks_one_of_its_bodies,
		a_body_is_filled_by_a_capture,
		a_destroyed_node_goes_with_its_edges_and_its_graph,
		NULL,
	};

	return claims_run("graph node", tests);
}
