/* The driver's calls that may reach memory of another device: nodes of graphs,
 * each in a context that it names, and batches. All of them copy the whole of
 * one block to another, or fill it with 9. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

/* What to do. A word that is no name means none. */
struct work {
	CUcontext context;
	CUDA_MEMCPY3D copy;
	CUDA_MEMSET_NODE_PARAMS fill;
	CUstreamBatchMemOpParams value;
	CUDA_BATCH_MEM_OP_NODE_PARAMS values;
	CUgraphNodeParams any;
};

static void *handle_of(const char *name)
{
	return strcmp(name, "none") ? (void *)shell_memory(name)->addr : NULL;
}

static void work_any(struct work *work, const char *how)
{
	if (!strcmp(how, "any_copy")) {
		work->any.type = CU_GRAPH_NODE_TYPE_MEMCPY;
		work->any.memcpy.copyCtx = work->context;
		work->any.memcpy.copyParams = work->copy;
	} else if (!strcmp(how, "any_fill")) {
		work->any.type = CU_GRAPH_NODE_TYPE_MEMSET;
		work->any.memset = (CUDA_MEMSET_NODE_PARAMS_v2){
			.dst = work->fill.dst,
			.value = work->fill.value,
			.elementSize = work->fill.elementSize,
			.width = work->fill.width,
			.height = work->fill.height,
			.ctx = work->context};
	} else if (!strcmp(how, "any_empty")) {
		work->any.type = CU_GRAPH_NODE_TYPE_EMPTY;
	} else {
		work->any.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
		work->any.memOp.ctx = work->context;
		work->any.memOp.count = 1;
		work->any.memOp.paramArray = &work->value;
	}
}

static void work_open(struct work *work, const char *how, const char *to,
		      const char *from, const char *context)
{
	const struct shell_memory *block = shell_memory(to);
	size_t size = block->size;

	memset(work, 0, sizeof(*work));
	work->context = handle_of(context);
	work->copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
				     .srcDevice = shell_memory(from)->addr,
				     .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				     .dstDevice = block->addr,
				     .WidthInBytes = size,
				     .Height = 1,
				     .Depth = 1};
	work->fill = (CUDA_MEMSET_NODE_PARAMS){.dst = block->addr,
					       .value = 9,
					       .elementSize = 1,
					       .width = size,
					       .height = 1};
	work->value.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
	work->value.writeValue.address = block->addr;
	work->values = (CUDA_BATCH_MEM_OP_NODE_PARAMS){
		.ctx = work->context, .count = 1, .paramArray = &work->value};
	work_any(work, how);
}

static void run_graph(char **words)
{
	CUgraph graph = NULL;

	printf("%d", (int)cuGraphCreate(&graph, 0));
	shell_memory(words[0])->addr = (uint64_t)graph;
}

/* Takes the kind, the node's name, its graph, destination, source, and the
 * context that the node names. */
static void run_node(char **words)
{
	CUgraph graph = handle_of(words[2]);
	CUgraphNode node = NULL;
	struct work work;
	CUresult result;

	work_open(&work, words[0], words[3], words[4], words[5]);
	if (!strcmp(words[0], "copy"))
		result = cuGraphAddMemcpyNode(&node, graph, NULL, 0, &work.copy,
					      work.context);
	else if (!strcmp(words[0], "fill"))
		result = cuGraphAddMemsetNode(&node, graph, NULL, 0, &work.fill,
					      work.context);
	else if (!strcmp(words[0], "value"))
		result = cuGraphAddBatchMemOpNode(&node, graph, NULL, 0,
						  &work.values);
	else
		result = cuGraphAddNode(&node, graph, NULL, NULL, 0, &work.any);
	shell_memory(words[1])->addr = (uint64_t)node;
	printf("%d", (int)result);
}

/* Takes the kind, a node, destination, source, and a context. */
static void run_renode(char **words)
{
	CUgraphNode node = handle_of(words[1]);
	struct work work;
	CUresult result;

	work_open(&work, words[0], words[2], words[3], words[4]);
	if (!strcmp(words[0], "copy"))
		result = cuGraphMemcpyNodeSetParams(node, &work.copy);
	else if (!strcmp(words[0], "fill"))
		result = cuGraphMemsetNodeSetParams(node, &work.fill);
	else if (!strcmp(words[0], "value"))
		result = cuGraphBatchMemOpNodeSetParams(node, &work.values);
	else
		result = cuGraphNodeSetParams(node, &work.any);
	printf("%d", (int)result);
}

/* The same for an executable graph, which comes before the node. */
static void run_exec_renode(char **words)
{
	CUgraphExec exec = handle_of(words[1]);
	CUgraphNode node = handle_of(words[2]);
	struct work work;
	CUresult result;

	work_open(&work, words[0], words[3], words[4], words[5]);
	if (!strcmp(words[0], "copy"))
		result = cuGraphExecMemcpyNodeSetParams(exec, node, &work.copy,
							work.context);
	else if (!strcmp(words[0], "fill"))
		result = cuGraphExecMemsetNodeSetParams(exec, node, &work.fill,
							work.context);
	else if (!strcmp(words[0], "value"))
		result = cuGraphExecBatchMemOpNodeSetParams(exec, node,
							    &work.values);
	else
		result = cuGraphExecNodeSetParams(exec, node, &work.any);
	printf("%d", (int)result);
}

static CUresult batch(const struct work *work, CUstream stream)
{
	CUmemcpyAttributes attributes = {
		.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
	CUdeviceptr to = work->copy.dstDevice, from = work->copy.srcDevice;
	size_t size = work->copy.WidthInBytes, first = 0;

	return cuMemcpyBatchAsync(&to, &from, &size, 1, &attributes, &first, 1,
				  stream);
}

static CUresult batch_deep(const struct work *work, CUstream stream)
{
	CUDA_MEMCPY3D_BATCH_OP op = {.extent = {work->copy.WidthInBytes, 1, 1},
				     .srcAccessOrder =
					     CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};

	op.src.type = op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
	op.src.op.ptr.ptr = work->copy.srcDevice;
	op.dst.op.ptr.ptr = work->copy.dstDevice;
	return cuMemcpy3DBatchAsync(1, &op, 0, stream);
}

static CUresult unpack(const struct work *work, CUstream stream)
{
	CUmemDecompressParams params = {
		.src = (const void *)work->copy.srcDevice,
		.dst = (void *)work->copy.dstDevice};
	size_t wrong;

	return cuMemBatchDecompressAsync(&params, 1, 0, &wrong, stream);
}

static CUresult flat(const struct work *work, CUmemorytype type,
		     CUstream stream)
{
	CUDA_MEMCPY2D copy = {.srcMemoryType = type,
			      .srcDevice = work->copy.srcDevice,
			      .dstMemoryType = type,
			      .dstDevice = work->copy.dstDevice,
			      .WidthInBytes = work->copy.WidthInBytes,
			      .Height = 1};

	return cuMemcpy2DAsync(&copy, stream);
}

static CUresult peers(const struct work *work, CUstream stream)
{
	CUDA_MEMCPY3D_PEER copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
				   .srcDevice = work->copy.srcDevice,
				   .dstMemoryType = CU_MEMORYTYPE_DEVICE,
				   .dstDevice = work->copy.dstDevice,
				   .WidthInBytes = work->copy.WidthInBytes,
				   .Height = 1,
				   .Depth = 1};

	return cuMemcpy3DPeerAsync(&copy, stream);
}

/* Makes an operation on the value in the block, or one that has no address. */
static CUresult operate(const struct work *work, unsigned int operation,
			CUstream stream)
{
	CUstreamBatchMemOpParams params = {.waitValue = {0}};

	params.operation = operation;
	if (operation != CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES)
		params.waitValue.address = work->fill.dst;
	return cuStreamBatchMemOp(stream, 1, &params, 0);
}

/* Takes the kind, a stream, destination and source. */
static void run_visit(char **words)
{
	CUstream stream = handle_of(words[1]);
	struct work work;
	CUresult result;

	work_open(&work, words[0], words[2], words[3], "none");
	if (!strcmp(words[0], "batch"))
		result = batch(&work, stream);
	else if (!strcmp(words[0], "batch_deep"))
		result = batch_deep(&work, stream);
	else if (!strcmp(words[0], "value"))
		result = cuStreamWriteValue32(stream, work.fill.dst, 9, 0);
	else if (!strcmp(words[0], "values"))
		result = cuStreamBatchMemOp(stream, 1, &work.value, 0);
	else if (!strcmp(words[0], "await"))
		result = operate(&work, CU_STREAM_MEM_OP_WAIT_VALUE_64, stream);
	else if (!strcmp(words[0], "flush"))
		result = operate(&work, CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES,
				 stream);
	else if (!strcmp(words[0], "flat"))
		result = flat(&work, CU_MEMORYTYPE_DEVICE, stream);
	else if (!strcmp(words[0], "flat_any"))
		result = flat(&work, CU_MEMORYTYPE_UNIFIED, stream);
	else if (!strcmp(words[0], "deep"))
		result = cuMemcpy3DAsync(&work.copy, stream);
	else if (!strcmp(words[0], "peers"))
		result = peers(&work, stream);
	else
		result = unpack(&work, stream);
	printf("%d", (int)result);
}

typedef CUresult future_copy(CUdeviceptr to, CUdeviceptr from, size_t size,
			     CUstream stream, float of, double all);

static future_copy *future;

/* Finds an entry that copies. Takes how to look for it, its name and a
 * version. */
static void run_future(char **words)
{
	void *found = NULL;

	if (!strcmp(words[0], "symbol"))
		found = dlsym(RTLD_DEFAULT, words[1]);
	else
		cuGetProcAddress(words[1], &found, atoi(words[2]),
				 CU_GET_PROC_ADDRESS_DEFAULT, NULL);
	future = (future_copy *)found;
	printf("%d", !found);
}

/* Takes a stream, destination and source. */
static void run_future_copy(char **words)
{
	const struct shell_memory *to = shell_memory(words[1]);

	printf("%d", (int)future(to->addr, shell_memory(words[2])->addr,
				 2 * to->size, handle_of(words[0]), 1.5F, 3));
}

static void run_bind(char **words)
{
	const struct shell_memory *block = shell_memory(words[0]);

	printf("%d",
	       (int)cuMulticastBindAddr(0, 0, block->addr, block->size, 0));
}

/* Makes a graph a node of another, as a copy or the graph itself. Takes the
 * node's name, the child and the parent. */
static void run_child(char **words)
{
	CUgraphNode node = NULL;

	printf("%d",
	       (int)cuGraphAddChildGraphNode(&node, handle_of(words[2]), NULL,
					     0, handle_of(words[1])));
	shell_memory(words[0])->addr = (uint64_t)node;
}

static void run_move(char **words)
{
	CUgraphNodeParams params = {
		.type = CU_GRAPH_NODE_TYPE_GRAPH,
		.graph = {handle_of(words[1]),
			  CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE}};
	CUgraphNode node = NULL;

	printf("%d", (int)cuGraphAddNode(&node, handle_of(words[2]), NULL, NULL,
					 0, &params));
	shell_memory(words[0])->addr = (uint64_t)node;
}

static void run_node_destroy(char **words)
{
	printf("%d", (int)cuGraphDestroyNode(handle_of(words[0])));
}

/* Makes a graph that another graph runs if a condition is true, as it always
 * is. */
static void run_body(char **words)
{
	CUgraph graph = handle_of(words[1]);
	CUgraphNodeParams params = {
		.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
		.conditional = {.type = CU_GRAPH_COND_TYPE_IF, .size = 1}};
	CUgraphNode node;
	CUresult result;

	cuCtxGetCurrent(&params.conditional.ctx);
	result = cuGraphConditionalHandleCreate(
		&params.conditional.handle, graph, params.conditional.ctx, 1,
		CU_GRAPH_COND_ASSIGN_DEFAULT);
	if (!result)
		result = cuGraphAddNode(&node, graph, NULL, NULL, 0, &params);
	if (!result)
		shell_memory(words[0])->addr =
			(uint64_t)params.conditional.phGraph_out[0];
	printf("%d", (int)result);
}

/* Names the first node of a graph. */
static void run_first(char **words)
{
	CUgraphNode node = NULL;
	size_t count = 1;

	printf("%d", (int)cuGraphGetNodes(handle_of(words[1]), &node, &count));
	shell_memory(words[0])->addr = (uint64_t)node;
}

/* Names the graph inside a node. */
static void run_inside(char **words)
{
	CUgraph graph = NULL;

	printf("%d",
	       (int)cuGraphChildGraphNodeGetGraph(handle_of(words[1]), &graph));
	shell_memory(words[0])->addr = (uint64_t)graph;
}

/* clang-format off */
const struct shell_command shell_visits[] = {
	{"graph", 1, run_graph},
	{"node", 6, run_node},
	{"renode", 5, run_renode},
	{"exec_renode", 6, run_exec_renode},
	{"visit", 4, run_visit},
	{"future", 3, run_future},
	{"future_copy", 3, run_future_copy},
	{"bind", 1, run_bind},
	{"child", 3, run_child},
	{"move", 3, run_move},
	{"node_destroy", 1, run_node_destroy},
	{"body", 2, run_body},
	{"first", 2, run_first},
	{"inside", 2, run_inside},
	{NULL, 0, NULL},
};
/* clang-format on */
