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

/* Makes first -> second -> third, and first -> third. */
static CUgraph triangle_new(CUgraphNode nodes[3])
{
	CUgraph graph;

	ck_assert_ok(cuGraphCreate(&graph, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&nodes[0], graph, NULL, 0));
	ck_assert_ok(cuGraphAddEmptyNode(&nodes[1], graph, nodes, 1));
	ck_assert_ok(cuGraphAddEmptyNode(&nodes[2], graph, nodes, 2));
	return graph;
}

START_TEST(edges_of_a_graph_are_listed)
{
	CUgraphNode nodes[3], from[4], to[4];
	CUgraph graph;
	size_t count = 0;
	int seen = 0;

	claims_open();
	graph = triangle_new(nodes);
	ck_assert_ok(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
	ck_assert_uint_eq(count, 3);
	count = 4;
	ck_assert_ok(cuGraphGetEdges(graph, from, to, NULL, &count));
	ck_assert_uint_eq(count, 3);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			for (int m = k + 1; m < 3; m++)
				seen += from[i] == nodes[k] &&
					to[i] == nodes[m];
	ck_assert_int_eq(seen, 3);
	ck_assert_ptr_null(from[3]);
	ck_assert_ptr_null(to[3]);
}
END_TEST

START_TEST(nodes_that_depend_on_a_node_are_listed)
{
	CUgraphNode nodes[3], found[2];
	size_t count = 2;

	claims_open();
	triangle_new(nodes);
	ck_assert_ok(
		cuGraphNodeGetDependentNodes(nodes[0], found, NULL, &count));
	ck_assert_uint_eq(count, 2);
	ck_assert((found[0] == nodes[1] && found[1] == nodes[2]) ||
		  (found[0] == nodes[2] && found[1] == nodes[1]));
	ck_assert_ok(
		cuGraphNodeGetDependentNodes(nodes[2], NULL, NULL, &count));
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(dependencies_are_removed)
{
	CUgraphNode nodes[3];
	CUgraph graph;
	size_t count = 0;

	claims_open();
	graph = triangle_new(nodes);
	ck_assert_ok(cuGraphRemoveDependencies(graph, &nodes[1], &nodes[2],
					       NULL, 1));
	ck_assert_ok(cuGraphGetEdges(graph, NULL, NULL, NULL, &count));
	ck_assert_uint_eq(count, 2);
	ck_assert_cu(
		cuGraphRemoveDependencies(graph, &nodes[1], &nodes[2], NULL, 1),
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
		edges_of_a_graph_are_listed,
		nodes_that_depend_on_a_node_are_listed,
		dependencies_are_removed,
		graphs_without_memory_nodes_hold_no_memory,
		NULL,
	};

	return claims_run("graph query", tests);
}
