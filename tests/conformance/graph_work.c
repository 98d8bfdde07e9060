#include "claims.h"

static void run(CUgraphExec exec)
{
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_ok(cuCtxSynchronize());
}

START_TEST(kernel_of_a_node_takes_new_arguments)
{
	struct claims_step one, ten, hundred;
	CUdeviceptr numbers;
	CUgraphExec exec;
	CUgraphNode node;
	CUfunction add;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	claims_step_init(&one, add, numbers, 1);
	claims_step_init(&ten, add, numbers, 10);
	claims_step_init(&hundred, add, numbers, 100);
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddKernelNode(&node, graph, NULL, 0, &one.params));
	ck_assert_ok(cuGraphKernelNodeSetParams(node, &ten.params));
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	run(exec);
	ck_assert_int_eq(claims_number(numbers, 5), 10);
	ck_assert_ok(
		cuGraphExecKernelNodeSetParams(exec, node, &hundred.params));
	run(exec);
	ck_assert_int_eq(claims_number(numbers, 5), 110);
}
END_TEST

static void CUDA_CB count_up(void *count)
{
	++*(int *)count;
}

START_TEST(host_function_of_a_node_is_told_and_replaced)
{
	int first = 0, second = 0, third = 0;
	CUDA_HOST_NODE_PARAMS host = {count_up, &first}, told = {0};
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;

	claims_open();
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddHostNode(&node, graph, NULL, 0, &host));
	host.userData = &second;
	ck_assert_ok(cuGraphHostNodeSetParams(node, &host));
	ck_assert_ok(cuGraphHostNodeGetParams(node, &told));
	ck_assert(told.fn == count_up);
	ck_assert_ptr_eq(told.userData, &second);
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	run(exec);
	host.userData = &third;
	ck_assert_ok(cuGraphExecHostNodeSetParams(exec, node, &host));
	run(exec);
	ck_assert_int_eq(first, 0);
	ck_assert_int_eq(second, 1);
	ck_assert_int_eq(third, 1);
}
END_TEST

START_TEST(nodes_of_fills_and_copies_tell_their_parameters)
{
	CUDA_MEMSET_NODE_PARAMS fill = {.value = 7,
					.elementSize = 4,
					.width = 10,
					.height = 1},
				filled = {0};
	CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			      .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .WidthInBytes = 40,
			      .Height = 1,
			      .Depth = 1},
		      copied = {0};
	CUgraphNode first, second;
	int numbers[10];
	CUcontext ctx;
	CUgraph graph;

	ctx = claims_open();
	fill.dst = copy.srcDevice = claims_numbers();
	copy.dstHost = numbers;
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddMemsetNode(&first, graph, NULL, 0, &fill, ctx));
	ck_assert_ok(
		cuGraphAddMemcpyNode(&second, graph, &first, 1, &copy, ctx));
	ck_assert_ok(cuGraphMemsetNodeGetParams(first, &filled));
	ck_assert_uint_eq(filled.dst, fill.dst);
	ck_assert_uint_eq(filled.value, 7);
	ck_assert_uint_eq(filled.width, 10);
	ck_assert_ok(cuGraphMemcpyNodeGetParams(second, &copied));
	ck_assert_int_eq(copied.srcMemoryType, CU_MEMORYTYPE_DEVICE);
	ck_assert_uint_eq(copied.srcDevice, copy.srcDevice);
	ck_assert_ptr_eq(copied.dstHost, numbers);
	ck_assert_uint_eq(copied.WidthInBytes, 40);
	ck_assert_cu(cuGraphMemsetNodeGetParams(second, &filled),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		kernel_of_a_node_takes_new_arguments,
		host_function_of_a_node_is_told_and_replaced,
		nodes_of_fills_and_copies_tell_their_parameters,
		NULL,
	};

	return claims_run("graph_work", tests);
}
