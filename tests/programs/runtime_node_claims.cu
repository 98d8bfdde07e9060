/* What the CUDA runtime promises about the nodes of graphs. It is true of
 * NVIDIA's runtime and of the simulated one. */
#include "claims.h"
#include "runtime_graph_claims_kernels.cuh"

enum { COUNT = 1000 };

static int *zeros_alloc()
{
	int *values;

	ck_assert_success(cudaMalloc((void **)&values, COUNT * sizeof(int)));
	ck_assert_success(cudaMemset(values, 0, COUNT * sizeof(int)));
	ck_assert_success(cudaDeviceSynchronize());
	return values;
}

static int value_read(const int *values)
{
	int value = -1;

	ck_assert_success(cudaMemcpy(&value, values, sizeof(value),
				     cudaMemcpyDeviceToHost));
	return value;
}

/* Runs an executable graph and returns the first of the values. */
static int run_and_read(cudaGraphExec_t exec, const int *values)
{
	ck_assert_success(cudaGraphLaunch(exec, NULL));
	ck_assert_success(cudaDeviceSynchronize());
	return value_read(values);
}

START_TEST(nodes_of_copies_take_new_parameters)
{
	int *values = zeros_alloc();
	int first = 11, second = 22, third = 33;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaGraph_t graph;

	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(cudaGraphAddMemcpyNode1D(
		&node, graph, NULL, 0, values, &first, sizeof(first),
		cudaMemcpyHostToDevice));
	ck_assert_success(cudaGraphMemcpyNodeSetParams1D(
		node, values, &second, sizeof(second), cudaMemcpyHostToDevice));
	ck_assert_success(cudaGraphInstantiate(&exec, graph, 0));
	ck_assert_int_eq(run_and_read(exec, values), 22);
	ck_assert_success(cudaGraphExecMemcpyNodeSetParams1D(
		exec, node, values, &third, sizeof(third),
		cudaMemcpyHostToDevice));
	ck_assert_int_eq(run_and_read(exec, values), 33);
	ck_assert_success(cudaGraphExecDestroy(exec));
	ck_assert_success(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(nodes_copy_boxes)
{
	int *values = zeros_alloc();
	int in[2] = {5, 6};
	struct cudaMemcpy3DParms copy = {};
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaGraph_t graph;

	copy.srcPtr = make_cudaPitchedPtr(in, sizeof(in), sizeof(in), 1);
	copy.dstPtr = make_cudaPitchedPtr(values, sizeof(in), sizeof(in), 1);
	copy.extent = make_cudaExtent(sizeof(in), 1, 1);
	copy.kind = cudaMemcpyHostToDevice;
	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy));
	ck_assert_success(cudaGraphInstantiate(&exec, graph, 0));
	ck_assert_int_eq(run_and_read(exec, values), 5);
	ck_assert_int_eq(value_read(values + 1), 6);
	ck_assert_success(cudaGraphExecDestroy(exec));
	ck_assert_success(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(one_call_adds_nodes_of_all_kinds)
{
	int *values = zeros_alloc(), step = 4, count = COUNT;
	void *args[] = {&values, &step, &count};
	struct cudaGraphNodeParams fill = {}, kernel = {};
	cudaGraphNode_t first, second;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	fill.type = cudaGraphNodeTypeMemset;
	fill.memset.dst = values;
	fill.memset.value = 100;
	fill.memset.elementSize = 4;
	fill.memset.width = COUNT;
	fill.memset.height = 1;
	kernel.type = cudaGraphNodeTypeKernel;
	kernel.kernel.func = (void *)add_step;
	kernel.kernel.gridDim = dim3(8);
	kernel.kernel.blockDim = dim3(128);
	kernel.kernel.kernelParams = args;
	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(
		cudaGraphAddNode(&first, graph, NULL, NULL, 0, &fill));
	ck_assert_success(
		cudaGraphAddNode(&second, graph, &first, NULL, 1, &kernel));
	ck_assert_success(cudaGraphInstantiate(&exec, graph, 0));
	ck_assert_int_eq(run_and_read(exec, values), 104);
	fill.memset.value = 200;
	ck_assert_success(cudaGraphExecNodeSetParams(exec, first, &fill));
	ck_assert_int_eq(run_and_read(exec, values), 204);
	ck_assert_success(cudaGraphExecDestroy(exec));
	ck_assert_success(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(nodes_allocate_and_free)
{
	struct cudaMemAllocNodeParams memory = {}, told;
	struct cudaMemsetParams fill = {};
	cudaGraphNode_t nodes[3];
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	memory.poolProps.allocType = cudaMemAllocationTypePinned;
	memory.poolProps.location.type = cudaMemLocationTypeDevice;
	memory.bytesize = 4096;
	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(
		cudaGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &memory));
	ck_assert_ptr_nonnull(memory.dptr);
	fill.dst = memory.dptr;
	fill.elementSize = 1;
	fill.width = 4096;
	fill.height = 1;
	ck_assert_success(
		cudaGraphAddMemsetNode(&nodes[1], graph, &nodes[0], 1, &fill));
	ck_assert_success(cudaGraphAddMemFreeNode(&nodes[2], graph, &nodes[1],
						  1, memory.dptr));
	ck_assert_success(cudaGraphMemAllocNodeGetParams(nodes[0], &told));
	ck_assert_uint_eq(told.bytesize, 4096);
	ck_assert_ptr_eq(told.dptr, memory.dptr);
	ck_assert_success(cudaGraphInstantiate(&exec, graph, 0));
	ck_assert_success(cudaGraphLaunch(exec, NULL));
	ck_assert_success(cudaDeviceSynchronize());
	ck_assert_success(cudaGraphExecDestroy(exec));
	ck_assert_success(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(kernels_of_nodes_are_told_and_switched_off)
{
	int *values = zeros_alloc(), step = 4, count = COUNT;
	void *args[] = {&values, &step, &count};
	struct cudaKernelNodeParams params = {}, told = {};
	cudaKernelNodeAttrValue attr = {};
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	unsigned int on = 7;
	cudaGraph_t graph;

	params.func = (void *)add_step;
	params.gridDim = dim3(8);
	params.blockDim = dim3(128);
	params.kernelParams = args;
	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(
		cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
	ck_assert_success(cudaGraphKernelNodeGetParams(node, &told));
	ck_assert_ptr_eq(told.func, (void *)add_step);
	ck_assert_uint_eq(told.gridDim.x, 8);
	ck_assert_int_eq(*(int *)told.kernelParams[1], 4);
	attr.priority = 0;
	ck_assert_success(cudaGraphKernelNodeSetAttribute(
		node, cudaLaunchAttributePriority, &attr));
	ck_assert_success(cudaGraphInstantiate(&exec, graph, 0));
	ck_assert_success(cudaGraphNodeSetEnabled(exec, node, 0));
	ck_assert_success(cudaGraphNodeGetEnabled(exec, node, &on));
	ck_assert_uint_eq(on, 0);
	ck_assert_int_eq(run_and_read(exec, values), 0);
	ck_assert_success(cudaGraphNodeSetEnabled(exec, node, 1));
	ck_assert_int_eq(run_and_read(exec, values), 4);
	ck_assert_success(cudaGraphExecDestroy(exec));
	ck_assert_success(cudaGraphDestroy(graph));
}
END_TEST

START_TEST(nodes_record_events_and_are_found_in_clones)
{
	cudaGraphNode_t node, found;
	cudaEvent_t event, told;
	cudaGraph_t graph, clone;

	ck_assert_success(cudaEventCreate(&event));
	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(
		cudaGraphAddEventRecordNode(&node, graph, NULL, 0, event));
	ck_assert_success(cudaGraphClone(&clone, graph));
	ck_assert_success(cudaGraphNodeFindInClone(&found, node, clone));
	ck_assert_success(cudaGraphEventRecordNodeGetEvent(found, &told));
	ck_assert_ptr_eq(told, event);
	ck_assert_success(cudaGraphDestroy(clone));
	ck_assert_success(cudaGraphDestroy(graph));
	ck_assert_success(cudaEventDestroy(event));
}
END_TEST

START_TEST(copies_into_arrays_are_told)
{
	struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
	struct cudaMemcpy3DParms copy = {}, told = {};
	int in[4] = {1, 2, 3, 4};
	cudaGraphNode_t node;
	cudaArray_t array;
	cudaGraph_t graph;

	ck_assert_success(cudaMallocArray(&array, &desc, 8, 4));
	copy.srcPtr = make_cudaPitchedPtr(in, 2 * sizeof(int), 2, 2);
	copy.dstArray = array;
	copy.dstPos = make_cudaPos(3, 1, 0);
	copy.extent = make_cudaExtent(2, 2, 1);
	copy.kind = cudaMemcpyHostToDevice;
	ck_assert_success(cudaGraphCreate(&graph, 0));
	ck_assert_success(cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &copy));
	ck_assert_success(cudaGraphMemcpyNodeGetParams(node, &told));
	ck_assert_ptr_eq(told.dstArray, array);
	ck_assert_ptr_eq(told.srcPtr.ptr, in);
	ck_assert_uint_eq(told.dstPos.x, 3);
	ck_assert_uint_eq(told.dstPos.y, 1);
	ck_assert_uint_eq(told.extent.width, 2);
	ck_assert_uint_eq(told.extent.height, 2);
	ck_assert_int_eq(told.kind, cudaMemcpyHostToDevice);
	ck_assert_success(cudaGraphDestroy(graph));
	ck_assert_success(cudaFreeArray(array));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		nodes_of_copies_take_new_parameters,
		nodes_copy_boxes,
		one_call_adds_nodes_of_all_kinds,
		nodes_allocate_and_free,
		kernels_of_nodes_are_told_and_switched_off,
		nodes_record_events_and_are_found_in_clones,
		copies_into_arrays_are_told,
		NULL,
	};

	return claims_run("runtime_nodes", tests);
}
