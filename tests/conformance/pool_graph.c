/* Memory that captured graphs allocate and free. */
#include "claims.h"
#include "pools.h"

static CUstream stream;

static void capture_begin(void)
{
	ck_assert_ok(cuStreamBeginCapture(stream,
					  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

static CUgraph capture_end(void)
{
	CUgraph graph;

	ck_assert_ok(cuStreamEndCapture(stream, &graph));
	return graph;
}

static CUgraphExec exec_new(CUgraph graph, unsigned long long flags)
{
	CUgraphExec exec;

	ck_assert_ok(cuGraphInstantiateWithFlags(&exec, graph, flags));
	return exec;
}

static CUdeviceptr block_new(void)
{
	CUdeviceptr ptr;

	ck_assert_ok(cuMemAllocAsync(&ptr, POOL_BLOCK, stream));
	return ptr;
}

/* A graph that allocates the block and fills it. */
static CUgraph maker_new(CUdeviceptr *ptr)
{
	capture_begin();
	*ptr = block_new();
	ck_assert_ok(cuMemsetD8Async(*ptr, 5, POOL_BLOCK, stream));
	return capture_end();
}

/* A graph that also frees it. */
static CUgraph whole_new(CUdeviceptr *ptr)
{
	capture_begin();
	*ptr = block_new();
	ck_assert_ok(cuMemsetD8Async(*ptr, 5, POOL_BLOCK, stream));
	ck_assert_ok(cuMemFreeAsync(*ptr, stream));
	return capture_end();
}

static void open_all(void)
{
	claims_open();
	stream = claims_stream(CU_STREAM_NON_BLOCKING);
}

static CUgraphNode node_of(CUgraph graph, CUgraphNodeType type)
{
	CUgraphNodeType seen;
	CUgraphNode nodes[8];
	size_t count = 8;

	ck_assert_ok(cuGraphGetNodes(graph, nodes, &count));
	for (size_t i = 0; i < count; i++) {
		ck_assert_ok(cuGraphNodeGetType(nodes[i], &seen));
		if (seen == type)
			return nodes[i];
	}
	ck_abort_msg("there is no such node");
	return NULL;
}

static void check_filled(CUdeviceptr ptr, char with)
{
	char seen = 0;

	ck_assert_ok(cuMemcpyDtoHAsync(&seen, ptr + POOL_BLOCK - 1, 1, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_int_eq(seen, with);
}

static cuuint64_t graphs_hold(CUgraphMem_attribute what)
{
	cuuint64_t value;

	ck_assert_ok(cuDeviceGetGraphMemAttribute(0, what, &value));
	return value;
}

/* Nothing of the graph's memory is left after it. */
static void check_all_gone(CUgraph graph, CUgraphExec exec)
{
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_ok(cuGraphDestroy(graph));
	ck_assert_ok(cuDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graphs_hold(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT),
			  0);
}

START_TEST(a_graph_allocates_uses_and_frees)
{
	CUgraphExec exec;
	CUdeviceptr ptr;
	CUgraph graph;
	char seen = 0;

	open_all();
	capture_begin();
	ptr = block_new();
	ck_assert_ok(cuMemsetD8Async(ptr, 5, POOL_BLOCK, stream));
	ck_assert_ok(cuMemcpyDtoHAsync(&seen, ptr, 1, stream));
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	graph = capture_end();
	exec = exec_new(graph, 0);
	for (int i = 0; i < 3; i++) {
		seen = 0;
		ck_assert_ok(cuGraphLaunch(exec, stream));
		ck_assert_ok(cuStreamSynchronize(stream));
		ck_assert_int_eq(seen, 5);
	}
	check_all_gone(graph, exec);
}
END_TEST

START_TEST(what_the_nodes_do_can_be_read)
{
	CUDA_MEM_ALLOC_NODE_PARAMS params;
	CUdeviceptr ptr, freed;
	CUgraph graph;

	open_all();
	graph = whole_new(&ptr);
	ck_assert_ok(cuGraphMemAllocNodeGetParams(
		node_of(graph, CU_GRAPH_NODE_TYPE_MEM_ALLOC), &params));
	ck_assert_uint_eq(params.dptr, ptr);
	ck_assert_uint_ge(params.bytesize, POOL_BLOCK);
	ck_assert_int_eq(params.poolProps.allocType,
			 CU_MEM_ALLOCATION_TYPE_PINNED);
	ck_assert_int_eq(params.poolProps.location.type,
			 CU_MEM_LOCATION_TYPE_DEVICE);
	ck_assert_int_eq(params.poolProps.location.id, 0);
	ck_assert_ok(cuGraphMemFreeNodeGetParams(
		node_of(graph, CU_GRAPH_NODE_TYPE_MEM_FREE), &freed));
	ck_assert_uint_eq(freed, ptr);
}
END_TEST

START_TEST(a_capture_allocates_nothing_from_the_pool)
{
	CUmemoryPool pool;
	cuuint64_t used;
	CUdeviceptr ptr;

	open_all();
	ck_assert_ok(cuDeviceGetMemPool(&pool, 0));
	used = pool_used(pool);
	whole_new(&ptr);
	ck_assert_uint_eq(pool_used(pool), used);
}
END_TEST

START_TEST(a_capture_frees_no_other_memory)
{
	CUdeviceptr plain, ptr;

	open_all();
	ck_assert_ok(cuMemAlloc(&plain, POOL_BLOCK));
	ptr = block_new();
	capture_begin();
	ck_assert_cu(cuMemFreeAsync(ptr, stream), CUDA_ERROR_INVALID_VALUE);
	ck_assert_cu(cuMemFreeAsync(plain, stream), CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(memory_of_a_graph_may_be_freed_in_a_stream)
{
	CUgraphExec exec;
	CUdeviceptr ptr;

	open_all();
	exec = exec_new(maker_new(&ptr), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_ok(cuGraphLaunch(exec, stream));
		check_filled(ptr, 5);
		ck_assert_ok(cuMemFreeAsync(ptr, stream));
	}
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

START_TEST(memory_of_a_graph_may_be_freed_by_the_host)
{
	CUgraphExec exec;
	CUdeviceptr ptr;

	open_all();
	exec = exec_new(maker_new(&ptr), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_ok(cuGraphLaunch(exec, stream));
		check_filled(ptr, 5);
		ck_assert_ok(cuMemFree(ptr));
	}
}
END_TEST

START_TEST(memory_of_a_graph_may_be_freed_by_another_graph)
{
	CUgraphExec makes, frees;
	CUdeviceptr ptr;

	open_all();
	makes = exec_new(maker_new(&ptr), 0);
	capture_begin();
	ck_assert_ok(cuMemsetD8Async(ptr, 6, POOL_BLOCK, stream));
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	frees = exec_new(capture_end(), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_ok(cuGraphLaunch(makes, stream));
		ck_assert_ok(cuGraphLaunch(frees, stream));
	}
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

START_TEST(a_graph_with_live_memory_is_not_launched_again)
{
	CUgraphExec exec;
	CUdeviceptr ptr;

	open_all();
	exec = exec_new(maker_new(&ptr), 0);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_cu(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

START_TEST(a_graph_may_free_its_memory_at_each_launch)
{
	CUgraphExec exec;
	CUdeviceptr ptr;
	CUgraph graph;

	open_all();
	graph = maker_new(&ptr);
	exec = exec_new(graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
	for (int i = 0; i < 3; i++)
		ck_assert_ok(cuGraphLaunch(exec, stream));
	check_filled(ptr, 5);
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	check_all_gone(graph, exec);
}
END_TEST

START_TEST(what_a_graph_frees_itself_is_not_freed_outside)
{
	CUgraphExec exec;
	CUdeviceptr ptr;

	open_all();
	exec = exec_new(whole_new(&ptr), 0);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
}
END_TEST

START_TEST(memory_of_a_graph_outlives_it)
{
	CUgraphExec exec;
	CUdeviceptr ptr;
	CUgraph graph;

	open_all();
	graph = maker_new(&ptr);
	exec = exec_new(graph, 0);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_ok(cuGraphDestroy(graph));
	check_filled(ptr, 5);
	ck_assert_ok(cuMemFreeAsync(ptr, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_ok(cuDeviceGraphMemTrim(0));
	ck_assert_uint_eq(graphs_hold(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT),
			  0);
}
END_TEST

START_TEST(such_a_graph_is_not_copied_or_taken_apart)
{
	CUgraph graph, copy, parent;
	CUgraphNode node;
	CUgraphExec exec;
	CUdeviceptr ptr;

	open_all();
	graph = whole_new(&ptr);
	ck_assert(cuGraphClone(&copy, graph));
	ck_assert_ok(cuGraphCreate(&parent, 0));
	ck_assert(cuGraphAddChildGraphNode(&node, parent, NULL, 0, graph));
	ck_assert(
		cuGraphDestroyNode(node_of(graph, CU_GRAPH_NODE_TYPE_MEMSET)));
	exec = exec_new(graph, 0);
	ck_assert(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_ok(cuGraphExecDestroy(exec));
	exec_new(graph, 0);
}
END_TEST

START_TEST(the_devices_figures_count_memory_of_graphs)
{
	cuuint64_t zero = 0;
	CUgraphExec exec;
	CUdeviceptr ptr;
	CUgraph graph;

	open_all();
	graph = maker_new(&ptr);
	exec = exec_new(graph, 0);
	ck_assert_ok(cuGraphLaunch(exec, stream));
	ck_assert_ok(cuStreamSynchronize(stream));
	ck_assert_uint_ge(graphs_hold(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT),
			  POOL_BLOCK);
	ck_assert_uint_ge(graphs_hold(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT),
			  POOL_BLOCK);
	ck_assert_ok(cuMemFree(ptr));
	ck_assert_ok(cuGraphExecDestroy(exec));
	ck_assert_ok(cuGraphDestroy(graph));
	ck_assert_ok(cuDeviceGraphMemTrim(0));
	ck_assert_uint_ge(graphs_hold(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH),
			  POOL_BLOCK);
	ck_assert_ok(cuDeviceSetGraphMemAttribute(
		0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
	ck_assert_uint_lt(graphs_hold(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH),
			  POOL_BLOCK);
}
END_TEST

/* What NCCL does while the program captures. */
START_TEST(a_relaxed_thread_allocates_beside_a_capture)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUdeviceptr ptr, captured;
	CUstream other;

	open_all();
	other = claims_stream(CU_STREAM_NON_BLOCKING);
	ck_assert_ok(
		cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	captured = block_new();
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&mode));
	ck_assert_ok(cuMemAllocAsync(&ptr, POOL_BLOCK, other));
	ck_assert_ok(cuMemsetD8Async(ptr, 1, POOL_BLOCK, other));
	ck_assert_ok(cuStreamSynchronize(other));
	ck_assert_ok(cuThreadExchangeStreamCaptureMode(&mode));
	ck_assert_ok(cuMemFreeAsync(captured, stream));
	ck_assert_ok(cuGraphDestroy(capture_end()));
	ck_assert_ok(cuMemFree(ptr));
}
END_TEST

START_TEST(used_memory_of_a_graph_is_what_it_takes)
{
	CUgraph graph;
	CUdeviceptr addr;
	CUgraphNode nodes[2];
	CUDA_MEM_ALLOC_NODE_PARAMS params = {.bytesize = 1};

	claims_open();
	params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(
		cuGraphAddMemAllocNode(&nodes[0], graph, NULL, 0, &params));
	addr = params.dptr;
	ck_assert_ok(cuGraphAddMemFreeNode(&nodes[1], graph, nodes, 1, addr));
	ck_assert_ok(cuGraphLaunch(exec_new(graph, 0), NULL));
	ck_assert_uint_ge(graphs_hold(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 1);
	ck_assert_uint_eq(graphs_hold(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT),
			  graphs_hold(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_graph_allocates_uses_and_frees,
		what_the_nodes_do_can_be_read,
		a_capture_allocates_nothing_from_the_pool,
		a_capture_frees_no_other_memory,
		memory_of_a_graph_may_be_freed_in_a_stream,
		memory_of_a_graph_may_be_freed_by_the_host,
		memory_of_a_graph_may_be_freed_by_another_graph,
		a_graph_with_live_memory_is_not_launched_again,
		a_graph_may_free_its_memory_at_each_launch,
		what_a_graph_frees_itself_is_not_freed_outside,
		memory_of_a_graph_outlives_it,
		such_a_graph_is_not_copied_or_taken_apart,
		the_devices_figures_count_memory_of_graphs,
		a_relaxed_thread_allocates_beside_a_capture,
		used_memory_of_a_graph_is_what_it_takes,
		NULL,
	};

	return claims_run("pool_graph", tests);
}
