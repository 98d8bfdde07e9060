#include "claims.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A graph of steps of 1, 10 and 100, one after the other. */
static CUgraph steps_graph(CUfunction add, CUdeviceptr numbers,
			   CUgraphNode *nodes)
{
	static const int by[] = {1, 10, 100};
	struct claims_step step;
	CUgraph graph;

	ck_assert_ok(cuGraphCreate(&graph, 0));
	for (int i = 0; i < 3; i++) {
		claims_step_init(&step, add, numbers, by[i]);
		ck_assert_ok(cuGraphAddKernelNode(&nodes[i], graph,
						  i ? &nodes[i - 1] : NULL,
						  i > 0, &step.params));
	}
	return graph;
}

static int run_and_read(CUgraphExec exec, CUdeviceptr numbers)
{
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_ok(cuCtxSynchronize());
	return claims_number(numbers, 5);
}

START_TEST(node_tells_its_kernel_shape_and_arguments)
{
	CUDA_KERNEL_NODE_PARAMS told = {0};
	CUgraphNode nodes[3];
	CUdeviceptr numbers;
	CUfunction add;

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	steps_graph(add, numbers, nodes);
	ck_assert_ok(cuGraphKernelNodeGetParams(nodes[1], &told));
	ck_assert_ptr_eq(told.func, add);
	ck_assert_uint_eq(told.gridDimX, 8);
	ck_assert_uint_eq(told.blockDimX, 128);
	ck_assert_uint_eq(told.sharedMemBytes, 0);
	ck_assert_uint_eq(*(CUdeviceptr *)told.kernelParams[0], numbers);
	ck_assert_int_eq(*(int *)told.kernelParams[1], 10);
	ck_assert_ptr_null(told.extra);
}
END_TEST

START_TEST(parameters_that_a_node_tells_make_another_such_node)
{
	CUDA_KERNEL_NODE_PARAMS told = {0};
	CUgraphNode nodes[3], more;
	CUdeviceptr numbers;
	CUgraphExec exec;
	CUgraph graph;

	claims_open();
	numbers = claims_numbers();
	graph = steps_graph(claims_kernel(), numbers, nodes);
	ck_assert_ok(cuGraphKernelNodeGetParams(nodes[2], &told));
	ck_assert_ok(cuGraphAddKernelNode(&more, graph, &nodes[2], 1, &told));
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_int_eq(run_and_read(exec, numbers), 211);
}
END_TEST

START_TEST(attributes_of_nodes_are_kept_and_copied)
{
	CUkernelNodeAttrValue value = {0}, told;
	CUgraphNode nodes[3];

	claims_open();
	steps_graph(claims_kernel(), claims_numbers(), nodes);
	value.accessPolicyWindow.num_bytes = 0;
	value.accessPolicyWindow.hitRatio = 0.5F;
	value.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
	value.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
	ck_assert_ok(cuGraphKernelNodeSetAttribute(
		nodes[0], CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW,
		&value));
	ck_assert_ok(cuGraphKernelNodeCopyAttributes(nodes[1], nodes[0]));
	ck_assert_ok(cuGraphKernelNodeGetAttribute(
		nodes[1], CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW,
		&told));
	ck_assert(told.accessPolicyWindow.hitRatio == 0.5F);
	ck_assert_int_eq(told.accessPolicyWindow.hitProp,
			 CU_ACCESS_PROPERTY_PERSISTING);
	value.accessPolicyWindow.hitRatio = 2;
	ck_assert_cu(cuGraphKernelNodeSetAttribute(
			     nodes[0],
			     CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW,
			     &value),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(attributes_are_not_copied_to_another_context)
{
	CUgraphNode nodes[3], others[3];
	CUcontext second;

	claims_open();
	steps_graph(claims_kernel(), claims_numbers(), nodes);
	ck_assert_ok(cuCtxCreate(&second, NULL, 0, 0));
	steps_graph(claims_kernel(), claims_numbers(), others);
	ck_assert_cu(cuGraphKernelNodeCopyAttributes(others[0], nodes[0]),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(cooperative_launch_in_a_capture_is_such_a_node)
{
	CUstream stream;
	CUkernelNodeAttrValue told = {0};
	CUdeviceptr numbers;
	int step = 1;
	unsigned count = CLAIMS_COUNT;
	void *args[] = {&numbers, &step, &count};
	CUgraphNode node;
	CUfunction add;
	CUgraph graph;
	size_t one = 1;

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	ck_assert_ok(cuLaunchCooperativeKernel(add, 8, 1, 1, 128, 1, 1, 0,
					       stream, args));
	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	ck_assert_ok(cuGraphGetNodes(graph, &node, &one));
	ck_assert_ok(cuGraphKernelNodeGetAttribute(
		node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &told));
	ck_assert_int_eq(told.cooperative, 1);
}
END_TEST

START_TEST(node_that_is_switched_off_is_passed_over)
{
	CUgraphNode nodes[3];
	CUdeviceptr numbers;
	CUgraphExec exec;
	unsigned on = 7;

	claims_open();
	numbers = claims_numbers();
	ck_assert_ok(cuGraphInstantiate(
		&exec, steps_graph(claims_kernel(), numbers, nodes), 0));
	ck_assert_ok(cuGraphNodeGetEnabled(exec, nodes[1], &on));
	ck_assert_uint_eq(on, 1);
	ck_assert_ok(cuGraphNodeSetEnabled(exec, nodes[1], 0));
	ck_assert_ok(cuGraphNodeGetEnabled(exec, nodes[1], &on));
	ck_assert_uint_eq(on, 0);
	ck_assert_int_eq(run_and_read(exec, numbers), 101);
	ck_assert_ok(cuGraphNodeSetEnabled(exec, nodes[1], 1));
	ck_assert_int_eq(run_and_read(exec, numbers), 212);
}
END_TEST

START_TEST(only_kernels_fills_and_copies_can_be_switched_off)
{
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;

	claims_open();
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&node, graph, NULL, 0));
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_cu(cuGraphNodeSetEnabled(exec, node, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(node_is_found_in_a_clone)
{
	CUgraphNode nodes[3], found;
	CUDA_KERNEL_NODE_PARAMS told;
	CUgraph graph, clone;

	claims_open();
	graph = steps_graph(claims_kernel(), claims_numbers(), nodes);
	ck_assert_ok(cuGraphClone(&clone, graph));
	ck_assert_ok(cuGraphNodeFindInClone(&found, nodes[2], clone));
	ck_assert_ptr_ne(found, nodes[2]);
	ck_assert_ok(cuGraphKernelNodeGetParams(found, &told));
	ck_assert_int_eq(*(int *)told.kernelParams[1], 100);
	ck_assert_cu(cuGraphNodeFindInClone(&found, nodes[2], graph),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(child_graph_of_an_executable_is_replaced)
{
	CUgraphNode nodes[3], others[3], child;
	CUdeviceptr numbers;
	struct claims_step step;
	CUgraph inner, other, graph;
	CUgraphExec exec;
	CUfunction add;

	claims_open();
	numbers = claims_numbers();
	add = claims_kernel();
	inner = steps_graph(add, numbers, nodes);
	other = steps_graph(add, numbers, others);
	claims_step_init(&step, add, numbers, 1000);
	ck_assert_ok(cuGraphKernelNodeSetParams(others[0], &step.params));
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddChildGraphNode(&child, graph, NULL, 0, inner));
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_ok(cuGraphExecChildGraphNodeSetParams(exec, child, other));
	ck_assert_int_eq(run_and_read(exec, numbers), 1110);
	ck_assert_ok(cuGraphCreate(&inner, 0));
	ck_assert_cu(cuGraphExecChildGraphNodeSetParams(exec, child, inner),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(picture_of_a_graph_is_for_graphviz)
{
	char path[] = "/tmp/graph_kernel_XXXXXX", text[8] = "";
	CUgraphNode nodes[3];
	FILE *file;
	int fd;

	claims_open();
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_ok(cuGraphDebugDotPrint(
		steps_graph(claims_kernel(), claims_numbers(), nodes), path,
		CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
	file = fdopen(fd, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	fclose(file);
	unlink(path);
	ck_assert_str_eq(text, "digraph");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		node_tells_its_kernel_shape_and_arguments,
		parameters_that_a_node_tells_make_another_such_node,
		attributes_of_nodes_are_kept_and_copied,
		attributes_are_not_copied_to_another_context,
		cooperative_launch_in_a_capture_is_such_a_node,
		node_that_is_switched_off_is_passed_over,
		only_kernels_fills_and_copies_can_be_switched_off,
		node_is_found_in_a_clone,
		child_graph_of_an_executable_is_replaced,
		picture_of_a_graph_is_for_graphviz,
		NULL,
	};

	return claims_run("graph_kernel", tests);
}
