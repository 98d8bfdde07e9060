/* Nodes that allocate and free memory, added by the program. */
#include "claims.h"
#include "pools.h"

static CUgraphNodeParams alloc_params(void)
{
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};

	params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	params.alloc.bytesize = POOL_BLOCK;
	return params;
}

START_TEST(nodes_allocate_and_free)
{
	CUgraphNodeParams alloc = alloc_params();
	CUgraphNode makes, fills, frees;
	CUDA_MEMSET_NODE_PARAMS fill = {
		.value = 7, .elementSize = 1, .width = POOL_BLOCK, .height = 1};
	CUcontext ctx = claims_open();
	CUgraphExec exec;
	CUgraph graph;

	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddNode(&makes, graph, NULL, NULL, 0, &alloc));
	fill.dst = alloc.alloc.dptr;
	ck_assert_ok(
		cuGraphAddMemsetNode(&fills, graph, &makes, 1, &fill, ctx));
	ck_assert_ok(cuGraphAddMemFreeNode(&frees, graph, &fills, 1, fill.dst));
	ck_assert_cu(cuGraphAddMemFreeNode(&frees, graph, &fills, 1, fill.dst),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuGraphInstantiate(&exec, graph, 0));
	ck_assert_ok(cuGraphLaunch(exec, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
}
END_TEST

START_TEST(a_node_frees_no_other_memory)
{
	CUgraphNode node;
	CUdeviceptr ptr;
	CUgraph graph;

	claims_open();
	ck_assert_ok(cuMemAllocAsync(&ptr, POOL_BLOCK, NULL));
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_cu(cuGraphAddMemFreeNode(&node, graph, NULL, 0, ptr),
		     CUDA_ERROR_INVALID_VALUE);
	ck_assert_ok(cuMemFreeAsync(ptr, NULL));
	ck_assert_ok(cuStreamSynchronize(NULL));
}
END_TEST

START_TEST(a_node_allocates_no_shareable_memory)
{
	CUgraphNodeParams alloc = alloc_params();
	CUgraphNode node;
	CUgraph graph;

	claims_open();
	ck_assert_ok(cuGraphCreate(&graph, 0));
	alloc.alloc.poolProps.handleTypes =
		CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	ck_assert(cuGraphAddNode(&node, graph, NULL, NULL, 0, &alloc));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		nodes_allocate_and_free,
		a_node_frees_no_other_memory,
		a_node_allocates_no_shareable_memory,
		NULL,
	};

	return claims_run("pool_node", tests);
}
