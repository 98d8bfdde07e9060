#include "claims.h"

static CUgraph graph_new(void)
{
	CUgraph graph;

	ck_assert_ok(cuGraphCreate(&graph, 0));
	return graph;
}

static CUgraphExec instantiate(CUgraph graph)
{
	CUgraphExec exec;

	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	return exec;
}

/* Adds a kernel node that depends on `before`, or on nothing if that is
 * NULL. */
static CUgraphNode add_after(CUgraph graph, CUgraphNode before, CUfunction add,
			     CUdeviceptr numbers, int step)
{
	unsigned count = CLAIMS_COUNT;
	void *args[] = {&numbers, &step, &count};
	CUDA_KERNEL_NODE_PARAMS params = {.func = add,
					  .gridDimX = 8,
					  .gridDimY = 1,
					  .gridDimZ = 1,
					  .blockDimX = 128,
					  .blockDimY = 1,
					  .blockDimZ = 1,
					  .kernelParams = args};
	CUgraphNode node;

	ck_assert_ok(
		cuGraphAddKernelNode(&node, graph, &before, !!before, &params));
	return node;
}

static CUgraphNode fill_after(CUgraph graph, CUgraphNode before,
			      CUdeviceptr numbers, unsigned value)
{
	CUDA_MEMSET_NODE_PARAMS params = {.dst = numbers,
					  .value = value,
					  .elementSize = 4,
					  .width = CLAIMS_COUNT,
					  .height = 1};
	CUgraphNode node;
	CUcontext ctx;

	ck_assert_ok(cuCtxGetCurrent(&ctx));
	ck_assert_ok(cuGraphAddMemsetNode(&node, graph, &before, !!before,
					  &params, ctx));
	return node;
}

static CUgraphNode host_after(CUgraph graph, CUgraphNode before, CUhostFn fn,
			      void *user)
{
	CUDA_HOST_NODE_PARAMS params = {.fn = fn, .userData = user};
	CUgraphNode node;

	ck_assert_ok(
		cuGraphAddHostNode(&node, graph, &before, !!before, &params));
	return node;
}

START_TEST(nodes_run_in_their_order)
{
	CUdeviceptr numbers;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	graph = graph_new();
	add_after(graph, fill_after(graph, NULL, numbers, 40), claims_kernel(),
		  numbers, 2);
	ck_assert_ok(cuGraphLaunch(instantiate(graph), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 42);
}
END_TEST

START_TEST(dependency_can_be_added_later)
{
	CUgraphNode fill, add;
	CUdeviceptr numbers;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	graph = graph_new();
	add = add_after(graph, NULL, claims_kernel(), numbers, 2);
	fill = fill_after(graph, NULL, numbers, 40);
	ck_assert_ok(cuGraphAddDependencies(graph, &fill, &add, NULL, 1));
	ck_assert_cu(cuGraphAddDependencies(graph, &fill, &add, NULL, 1),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuGraphLaunch(instantiate(graph), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 42);
}
END_TEST

START_TEST(graph_with_a_cycle_is_refused)
{
	CUgraphNode first, second;
	CUgraph graph;
	CUgraphExec exec;
	CUresult res;

	claims_open();
	graph = graph_new();
	ck_assert_ok(cuGraphAddEmptyNode(&first, graph, NULL, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&second, graph, &first, 1));
	res = cuGraphAddDependencies(graph, &second, &first, NULL, 1);
	if (!res)
		res = cuGraphInstantiate(&exec, graph, 0);
	ck_assert_cu(res, CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(instantiation_tells_its_result)
{
	CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
	CUgraphNode first, second;
	CUgraphExec exec;
	CUgraph graph;

	claims_open();
	graph = graph_new();
	ck_assert_ok(cuGraphAddEmptyNode(&first, graph, NULL, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&second, graph, &first, 1));
	ck_assert_ok(cuGraphInstantiateWithParams(&exec, graph, &params));
	ck_assert_int_eq(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
	ck_assert_ptr_null(params.hErrNode_out);
	/* A driver may refuse the edge that makes the cycle. */
	if (cuGraphAddDependencies(graph, &second, &first, NULL, 1))
		return;
	ck_assert_cu(cuGraphInstantiateWithParams(&exec, graph, &params),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_int_eq(params.result_out,
			 CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
	ck_assert(params.hErrNode_out == first ||
		  params.hErrNode_out == second);
}
END_TEST

START_TEST(copy_node_copies)
{
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			      .WidthInBytes = CLAIMS_COUNT * sizeof(int),
			      .Height = 1,
			      .Depth = 1};
	CUcontext ctx = claims_open();
	CUgraphNode fill, node;
	CUgraph graph;

	copy.srcDevice = claims_numbers();
	copy.dstDevice = claims_numbers();
	graph = graph_new();
	fill = fill_after(graph, NULL, copy.srcDevice, 8);
	ck_assert_ok(cuGraphAddMemcpyNode(&node, graph, &fill, 1, &copy, ctx));
	ck_assert_ok(cuGraphLaunch(instantiate(graph), NULL));
	ck_assert_int_eq(claims_number(copy.dstDevice, CLAIMS_COUNT - 1), 8);
}
END_TEST

START_TEST(child_graph_runs_in_its_place)
{
	CUgraphNode fill, inner;
	CUgraph graph, child;
	CUdeviceptr numbers;
	CUfunction add;

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	graph = graph_new();
	child = graph_new();
	add_after(child, add_after(child, NULL, add, numbers, 1), add, numbers,
		  1);
	fill = fill_after(graph, NULL, numbers, 40);
	ck_assert_ok(cuGraphAddChildGraphNode(&inner, graph, &fill, 1, child));
	ck_assert_ok(cuGraphDestroy(child));
	add_after(graph, inner, add, numbers, 100);
	ck_assert_ok(cuGraphLaunch(instantiate(graph), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 142);
}
END_TEST

START_TEST(launch_comes_after_earlier_work_of_its_stream)
{
	CUdeviceptr numbers;
	CUstream stream;
	CUgraphExec exec;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	graph = graph_new();
	add_after(graph, NULL, claims_kernel(), numbers, 2);
	fill_after(graph, NULL, claims_numbers(), 1);
	exec = instantiate(graph);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	/* A first launch may load code, which may wait for the device. */
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	claims_hold(stream);
	ck_assert_ok(cuMemsetD32Async(numbers, 40, CLAIMS_COUNT, stream));
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(claims_number(numbers, 0), 42);
}
END_TEST

static void wait_for_flag(void *user)
{
	int *flag = user;

	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		;
}

static void set_flag(void *user)
{
	__atomic_store_n((int *)user, 1, __ATOMIC_RELEASE);
}

START_TEST(later_work_waits_for_every_branch)
{
	CUgraphNode fill;
	CUdeviceptr first, second;
	CUstream stream;
	CUgraph graph;
	CUfunction add;
	int flag = 0;

	claims_open();
	add = claims_kernel();
	first = claims_numbers();
	second = claims_numbers();
	graph = graph_new();
	fill_after(graph, NULL, first, 1);
	fill = fill_after(graph, host_after(graph, NULL, wait_for_flag, &flag),
			  second, 1);
	fill_after(graph, fill, second, 2);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuGraphLaunch(instantiate(graph), stream));
	ck_assert_ok(claims_add(add, second, 40, CLAIMS_COUNT, stream));
	ck_assert_cu(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	set_flag(&flag);
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(claims_number(first, 0), 1);
	ck_assert_int_eq(claims_number(second, 0), 42);
}
END_TEST

START_TEST(event_after_a_launch_covers_it)
{
	CUdeviceptr numbers;
	CUstream stream;
	CUgraph graph;
	CUevent event;
	int flag = 0;

	claims_open();
	numbers = claims_numbers();
	graph = graph_new();
	fill_after(graph, NULL, claims_numbers(), 1);
	fill_after(graph, host_after(graph, NULL, wait_for_flag, &flag),
		   numbers, 7);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	event = claims_event();
	ck_assert_ok(cuGraphLaunch(instantiate(graph), stream));
	ck_assert_ok(cuEventRecord(event, stream));
	ck_assert_cu(cuEventQuery(event), CUDA_ERROR_NOT_READY);
	set_flag(&flag);
	ck_assert_ok(cuEventSynchronize(event));
	ck_assert_int_eq(claims_number(numbers, 0), 7);
}
END_TEST

START_TEST(launches_of_one_graph_follow_each_other)
{
	CUdeviceptr numbers;
	CUstream streams[2];
	CUgraphExec exec;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	graph = graph_new();
	add_after(graph, NULL, claims_kernel(), numbers, 1);
	exec = instantiate(graph);
	for (int i = 0; i < 2; i++)
		streams[i] = claims_stream(CU_STREAM_NON_BLOCKING);
	for (int i = 0; i < 50; i++)
		ck_assert_ok(cuGraphLaunch(exec, streams[i % 2]));
	ck_assert_ok(cuCtxSynchronize());
	ck_assert_int_eq(claims_number(numbers, 0), 50);
}
END_TEST

START_TEST(legacy_stream_waits_for_a_launch)
{
	CUdeviceptr numbers;
	CUstream stream;
	CUgraphExec exec;
	CUfunction add;
	CUgraph graph;

	claims_open();
	add = claims_kernel();
	numbers = claims_numbers();
	graph = graph_new();
	fill_after(graph, NULL, claims_numbers(), 1);
	fill_after(graph, NULL, numbers, 40);
	stream = claims_stream(CU_STREAM_DEFAULT);
	exec = instantiate(graph);
	/* A first launch may load code, which may wait for the device. */
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(claims_add(add, numbers, 2, CLAIMS_COUNT, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	claims_hold(stream);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(
		claims_add(add, numbers, 2, CLAIMS_COUNT, CU_STREAM_LEGACY));
	claims_release();
	ck_assert_ok(cuStreamSynchronize(CU_STREAM_LEGACY));
	ck_assert_int_eq(claims_number(numbers, 0), 42);
}
END_TEST

START_TEST(graph_in_flight_can_be_destroyed)
{
	CUdeviceptr numbers;
	CUstream stream;
	CUgraphExec exec;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	graph = graph_new();
	add_after(graph, NULL, claims_kernel(), numbers, 3);
	fill_after(graph, NULL, claims_numbers(), 1);
	exec = instantiate(graph);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(cuGraphUpload(exec, stream));
	claims_hold(stream);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_ok(cuGraphDestroy(graph));
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(claims_number(numbers, 0), 3);
}
END_TEST

START_TEST(clone_is_a_graph_of_its_own)
{
	CUgraph graph, clone;
	CUdeviceptr numbers;
	size_t count = 0;

	claims_open();
	numbers = claims_numbers();
	graph = graph_new();
	fill_after(graph, NULL, numbers, 6);
	ck_assert_ok(cuGraphClone(&clone, graph));
	fill_after(graph, NULL, numbers, 7);
	ck_assert_ok(cuGraphDestroy(graph));
	ck_assert_ok(cuGraphGetNodes(clone, NULL, &count));
	ck_assert_uint_eq(count, 1);
	ck_assert_ok(cuGraphLaunch(instantiate(clone), NULL));
	ck_assert_int_eq(claims_number(numbers, 0), 6);
}
END_TEST

START_TEST(nodes_are_listed)
{
	CUgraphNode first, second, found[3] = {(CUgraphNode)&found};
	CUgraphNodeType type;
	CUgraph graph;
	size_t count = 3;

	claims_open();
	graph = graph_new();
	ck_assert_ok(cuGraphAddEmptyNode(&first, graph, NULL, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&second, graph, &first, 1));
	ck_assert_ok(cuGraphGetNodes(graph, found, &count));
	ck_assert_uint_eq(count, 2);
	ck_assert_ptr_ne(found[0], found[1]);
	ck_assert_ptr_null(found[2]);
	count = 3;
	ck_assert_ok(cuGraphGetRootNodes(graph, found, &count));
	ck_assert_uint_eq(count, 1);
	ck_assert_ptr_eq(found[0], first);
	ck_assert_ok(cuGraphNodeGetType(second, &type));
	ck_assert_int_eq(type, CU_GRAPH_NODE_TYPE_EMPTY);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		nodes_run_in_their_order,
		dependency_can_be_added_later,
		graph_with_a_cycle_is_refused,
		instantiation_tells_its_result,
		copy_node_copies,
		child_graph_runs_in_its_place,
		launch_comes_after_earlier_work_of_its_stream,
		later_work_waits_for_every_branch,
		event_after_a_launch_covers_it,
		launches_of_one_graph_follow_each_other,
		legacy_stream_waits_for_a_launch,
		graph_in_flight_can_be_destroyed,
		clone_is_a_graph_of_its_own,
		nodes_are_listed,
		NULL,
	};

	return claims_run("graph", tests);
}
