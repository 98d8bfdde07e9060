/* Conditions of graphs that kernels set. On a GPU such kernels need a library
 * that is linked into device code; here mostly host functions set the values.
 */
#include "../conformance/claims.h"

static CUcontext ctx;
static CUmodule module;

static CUgraph graph_new(void)
{
	CUgraph graph;

	if (!ctx) {
		ctx = claims_open();
		ck_assert_ok(cuModuleLoadData(&module, claims_ptx));
	}
	ck_assert_ok(cuGraphCreate(&graph, 0));
	return graph;
}

static CUgraphConditionalHandle condition_new(CUgraph graph, unsigned value,
					      unsigned flags)
{
	CUgraphConditionalHandle handle;

	ck_assert_ok(cuGraphConditionalHandleCreate(&handle, graph, ctx, value,
						    flags));
	return handle;
}

/* A conditional node behind another, or first. Returns its graphs. */
static const CUgraph *node_new(CUgraph graph, const CUgraphNode *before,
			       CUgraphConditionalHandle handle,
			       CUgraphConditionalNodeType type, unsigned size)
{
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
				    .conditional = {.handle = handle,
						    .type = type,
						    .size = size,
						    .ctx = ctx}};
	CUgraphNode node;

	ck_assert_ok(cuGraphAddNode(&node, graph, before, NULL, before != NULL,
				    &params));
	return params.conditional.phGraph_out;
}

static CUgraphNode kernel_new(CUgraph graph, const char *name, void **args)
{
	CUDA_KERNEL_NODE_PARAMS params = {.gridDimX = 1,
					  .gridDimY = 1,
					  .gridDimZ = 1,
					  .blockDimX = 1,
					  .blockDimY = 1,
					  .blockDimZ = 1,
					  .kernelParams = args};
	CUgraphNode node;

	ck_assert_ok(cuModuleGetFunction(&params.func, module, name));
	ck_assert_ok(cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
	return node;
}

static void fill_new(CUgraph graph, CUdeviceptr numbers, unsigned value)
{
	CUDA_MEMSET_NODE_PARAMS params = {.dst = numbers,
					  .value = value,
					  .elementSize = 4,
					  .width = CLAIMS_COUNT,
					  .height = 1};
	CUgraphNode node;

	ck_assert_ok(cuGraphAddMemsetNode(&node, graph, NULL, 0, &params, ctx));
}

static CUgraphExec exec_new(CUgraph graph)
{
	CUgraphExec exec;

	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	return exec;
}

static void run(CUgraphExec exec)
{
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_ok(cuCtxSynchronize());
}

START_TEST(kernel_picks_the_graph_that_runs)
{
	for (unsigned value = 0; value < 2; value++) {
		CUgraph graph = graph_new();
		CUgraphConditionalHandle handle = condition_new(graph, 0, 0);
		void *args[] = {&handle, &value};
		CUgraphNode first = kernel_new(graph, "set", args);
		CUdeviceptr numbers = claims_numbers();
		const CUgraph *body = node_new(graph, &first, handle,
					       CU_GRAPH_COND_TYPE_IF, 2);

		fill_new(body[0], numbers, 10);
		fill_new(body[1], numbers, 20);
		run(exec_new(graph));
		ck_assert_int_eq(claims_number(numbers, 0), value ? 10 : 20);
	}
}
END_TEST

/* A loop that runs `left` times, and counts that. */
static CUgraph loop_new(CUdeviceptr left, CUdeviceptr done)
{
	CUgraph graph = graph_new();
	CUgraphConditionalHandle handle =
		condition_new(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
	void *args[] = {&handle, &left, &done};
	const CUgraph *body =
		node_new(graph, NULL, handle, CU_GRAPH_COND_TYPE_WHILE, 1);

	kernel_new(body[0], "count", args);
	return graph;
}

START_TEST(loop_runs_until_a_kernel_ends_it)
{
	CUdeviceptr left, done;
	CUgraphExec exec;

	graph_new();
	left = claims_numbers();
	done = claims_numbers();
	exec = exec_new(loop_new(left, done));
	for (int i = 1; i <= 3; i++) {
		ck_assert_ok(cuMemsetD32(left, 5, 1));
		run(exec);
		ck_assert_int_eq(claims_number(done, 0), 5 * i);
	}
}
END_TEST

START_TEST(launch_in_flight_keeps_its_conditions)
{
	CUdeviceptr left, done;
	CUstream stream;
	CUgraphExec exec;
	CUgraph graph;

	graph_new();
	left = claims_numbers();
	done = claims_numbers();
	ck_assert_ok(cuMemsetD32(left, 3, 1));
	ck_assert_ok(cuCtxSynchronize()); /* the stream waits for no other */
	graph = loop_new(left, done);
	exec = exec_new(graph);
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
	claims_hold(stream);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuGraphDestroy(graph));
	ck_assert_ok(cuGraphExecDestroy(exec));
	condition_new(graph_new(), 0, 0);
	claims_release();
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(claims_number(done, 0), 3);
}
END_TEST

START_TEST(conditions_nest)
{
	CUgraph graph = graph_new();
	CUdeviceptr left, done, numbers;
	CUgraphConditionalHandle
		outer = condition_new(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT),
		inner = condition_new(graph, 2, CU_GRAPH_COND_ASSIGN_DEFAULT);
	void *args[] = {&outer, &left, &done};
	const CUgraph *body =
		node_new(graph, NULL, outer, CU_GRAPH_COND_TYPE_WHILE, 1);
	const CUgraph *cases =
		node_new(body[0], NULL, inner, CU_GRAPH_COND_TYPE_SWITCH, 3);

	left = claims_numbers();
	done = claims_numbers();
	numbers = claims_numbers();
	ck_assert_ok(cuMemsetD32(left, 2, 1));
	kernel_new(body[0], "count", args);
	fill_new(cases[0], numbers, 7);
	fill_new(cases[2], numbers, 9);
	run(exec_new(graph));
	ck_assert_int_eq(claims_number(done, 0), 2);
	ck_assert_int_eq(claims_number(numbers, 0), 9);
}
END_TEST

START_TEST(node_of_a_loop_takes_new_parameters)
{
	CUDA_MEMSET_NODE_PARAMS params = {.value = 6,
					  .elementSize = 4,
					  .width = CLAIMS_COUNT,
					  .height = 1};
	CUgraph graph = graph_new();
	CUgraphConditionalHandle handle =
		condition_new(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
	const CUgraph *body =
		node_new(graph, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1);
	CUgraphExec exec;
	CUgraphNode node;
	size_t one = 1;

	params.dst = claims_numbers();
	fill_new(body[0], params.dst, 5);
	ck_assert_ok(cuGraphGetNodes(body[0], &node, &one));
	exec = exec_new(graph);
	ck_assert_ok(cuGraphExecMemsetNodeSetParams(exec, node, &params, ctx));
	run(exec);
	ck_assert_int_eq(claims_number(params.dst, 0), 6);
}
END_TEST

static void CUDA_CB nothing(void *unused)
{
	(void)unused;
}

START_TEST(graph_with_a_condition_is_one_of_a_kind)
{
	CUDA_HOST_NODE_PARAMS host = {.fn = nothing};
	CUgraph graph = graph_new(), copy, outer = graph_new();
	CUgraphConditionalHandle handle = condition_new(graph, 0, 0);
	const CUgraph *body =
		node_new(graph, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1);
	CUgraphExec exec = exec_new(graph), second;
	CUgraphNode node;

	ck_assert_cu(cuGraphClone(&copy, graph), CUDA_ERROR_NOT_SUPPORTED);
	ck_assert_cu(cuGraphAddChildGraphNode(&node, outer, NULL, 0, graph),
		     CUDA_ERROR_NOT_SUPPORTED);
	ck_assert_cu(cuGraphInstantiate(&second, graph, 0),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_ok(cuGraphAddHostNode(&node, body[0], NULL, 0, &host));
	ck_assert_cu(cuGraphInstantiate(&exec, graph, 0),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(handle_of_no_condition_is_told)
{
	CUgraph graph = graph_new();
	CUgraphConditionalHandle gone = condition_new(graph, 0, 0);
	CUgraphConditionalHandle handles[] = {0, 16, ~0ull - 15, gone};
	CUgraphNode node;

	ck_assert_ok(cuGraphDestroy(graph));
	graph = graph_new();
	for (unsigned i = 0; i < sizeof(handles) / sizeof(*handles); i++) {
		CUgraphNodeParams params = {
			.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
			.conditional = {.handle = handles[i],
					.type = CU_GRAPH_COND_TYPE_IF,
					.size = 1,
					.ctx = ctx}};

		ck_assert_cu(
			cuGraphAddNode(&node, graph, NULL, NULL, 0, &params),
			CUDA_ERROR_INVALID_VALUE);
	}
}
END_TEST

/* By the function that the device runtime has for it. */
static const char by_ptx[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
	".visible .entry put(.param .u64 to, .param .u32 what) {\n"
	".reg .u64 a; .reg .u32 b; ld.param.u64 a, [to];\n"
	"ld.param.u32 b, [what]; { .param .b64 h; .param .b32 v;\n"
	"st.param.b64 [h], a; st.param.b32 [v], b;\n"
	"call.uni cudaGraphSetConditional, (h, v); } ret; }\n";

START_TEST(interpreted_kernel_sets_a_condition)
{
	CUgraph graph = graph_new();
	CUgraphConditionalHandle handle = condition_new(graph, 0, 0), wrong;
	unsigned value = 1;
	void *args[] = {&handle, &value};
	CUdeviceptr numbers = claims_numbers();
	CUgraphNode first;
	CUfunction put;

	ck_assert_ok(cuModuleLoadData(&module, by_ptx));
	first = kernel_new(graph, "put", args);
	fill_new(node_new(graph, &first, handle, CU_GRAPH_COND_TYPE_IF, 1)[0],
		 numbers, 10);
	run(exec_new(graph));
	ck_assert_int_eq(claims_number(numbers, 0), 10);
	wrong = handle + 1;
	args[0] = &wrong;
	ck_assert_ok(cuModuleGetFunction(&put, module, "put"));
	cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
	ck_assert_cu(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		kernel_picks_the_graph_that_runs,
		loop_runs_until_a_kernel_ends_it,
		launch_in_flight_keeps_its_conditions,
		conditions_nest,
		node_of_a_loop_takes_new_parameters,
		graph_with_a_condition_is_one_of_a_kind,
		handle_of_no_condition_is_told,
		interpreted_kernel_sets_a_condition,
		NULL,
	};

	return claims_run("sim_condition", tests);
}
