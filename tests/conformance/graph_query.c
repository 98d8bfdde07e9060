#include "claims.h"

START_TEST(dependencies_of_a_node_are_listed)
{
	CUgraphNode first, second, last, found[3] = {(CUgraphNode)&found};
	CUgraphEdgeData data[3];
	CUgraph graph;
	size_t count = 0;

	claims_open();
	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&first, graph, NULL, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&second, graph, NULL, 0));
	found[0] = first;
	found[1] = second;
	ck_assert_ok(cuGraphAddEmptyNode(&last, graph, found, 2));
	ck_assert_ok(cuGraphNodeGetDependencies(last, NULL, NULL, &count));
	ck_assert_uint_eq(count, 2);
	count = 3;
	ck_assert_ok(cuGraphNodeGetDependencies(last, found, data, &count));
	ck_assert_uint_eq(count, 2);
	ck_assert((found[0] == first && found[1] == second) ||
		  (found[0] == second && found[1] == first));
	ck_assert_ptr_null(found[2]);
	ck_assert_int_eq(data[0].type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
	count = 1;
	ck_assert_ok(cuGraphNodeGetDependencies(last, found, NULL, &count));
	ck_assert_uint_eq(count, 1);
	count = 1;
	ck_assert_ok(cuGraphNodeGetDependencies(first, found, NULL, &count));
	ck_assert_uint_eq(count, 0);
	ck_assert_ptr_null(found[0]);
	ck_assert_cu(cuGraphNodeGetDependencies(last, NULL, NULL, NULL),
		     CUDA_ERROR_INVALID_VALUE);
}
END_TEST

START_TEST(graphs_without_memory_nodes_hold_no_memory)
{
	CUgraphMem_attribute attrs[] = {CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
					CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
					CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
					CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH};
	CUdevice device;
	cuuint64_t value;

	claims_open();
	ck_assert_ok(cuCtxGetDevice(&device));
	for (int i = 0; i < 4; i++) {
		value = 1;
		ck_assert_ok(
			cuDeviceGetGraphMemAttribute(device, attrs[i], &value));
		ck_assert_uint_eq(value, 0);
	}
	ck_assert_ok(cuDeviceSetGraphMemAttribute(
		device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value));
	ck_assert_cu(cuDeviceGetGraphMemAttribute(99, attrs[0], &value),
		     CUDA_ERROR_INVALID_DEVICE);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		dependencies_of_a_node_are_listed,
		graphs_without_memory_nodes_hold_no_memory,
		NULL,
	};

	return claims_run("graph query", tests);
}
