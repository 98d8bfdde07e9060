/* Copies as nodes of graphs. Each form of a copy can be added, and can replace
 * what a node of a graph or of an executable graph copies. */
#include "binary.h"
#include "box.h"
#include "runtime.h"

/* Where a new node goes. */
struct place {
	cudaGraphNode_t *node;
	cudaGraph_t graph;
	const cudaGraphNode_t *before;
	size_t count;
};

/* The driver knows from the addresses where both sides are. */
static int line_of(void *dst, const void *src, size_t bytes,
		   enum cudaMemcpyKind kind, CUDA_MEMCPY3D *box)
{
	*box = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
			       .srcDevice = (CUdeviceptr)src,
			       .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
			       .dstDevice = (CUdeviceptr)dst,
			       .WidthInBytes = bytes,
			       .Height = 1,
			       .Depth = 1};
	return (unsigned)kind <= cudaMemcpyDefault
		       ? runtime_enter()
		       : cudaErrorInvalidMemcpyDirection;
}

static int line_to_symbol(const void *symbol, const void *src, size_t bytes,
			  size_t offset, enum cudaMemcpyKind kind,
			  CUDA_MEMCPY3D *box)
{
	char *dst;
	int res = variable_range(symbol, offset, bytes, &dst);

	return res ? res : line_of(dst, src, bytes, kind, box);
}

static int line_from_symbol(void *dst, const void *symbol, size_t bytes,
			    size_t offset, enum cudaMemcpyKind kind,
			    CUDA_MEMCPY3D *box)
{
	char *src;
	int res = variable_range(symbol, offset, bytes, &src);

	return res ? res : line_of(dst, src, bytes, kind, box);
}

static int box_find(const struct cudaMemcpy3DParms *params, CUDA_MEMCPY3D *box)
{
	int res = runtime_enter();

	return res ? res : box_of(params, box);
}

/* All take the result of finding the copy. The node runs in the calling
 * thread's context. */
static cudaError_t node_add(int res, struct place at, const CUDA_MEMCPY3D *box)
{
	CUcontext ctx = NULL;

	if (!res)
		res = driver_legacy.CtxGetCurrent(&ctx);
	if (!res)
		res = driver_legacy.GraphAddMemcpyNode(
			at.node, at.graph, at.before, at.count, box, ctx);
	return runtime_result(res);
}

static cudaError_t node_set(int res, cudaGraphNode_t node,
			    const CUDA_MEMCPY3D *box)
{
	if (!res)
		res = driver_legacy.GraphMemcpyNodeSetParams(node, box);
	return runtime_result(res);
}

static cudaError_t exec_set(int res, cudaGraphExec_t exec, cudaGraphNode_t node,
			    const CUDA_MEMCPY3D *box)
{
	CUcontext ctx = NULL;

	if (!res)
		res = driver_legacy.CtxGetCurrent(&ctx);
	if (!res)
		res = driver_legacy.GraphExecMemcpyNodeSetParams(exec, node,
								 box, ctx);
	return runtime_result(res);
}

EXPORT cudaError_t cudaGraphAddMemcpyNode(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, const struct cudaMemcpy3DParms *params)
{
	struct place at = {node, graph, before, count};
	CUDA_MEMCPY3D box;
	int res = box_find(params, &box);

	return node_add(res, at, &box);
}

EXPORT cudaError_t cudaGraphMemcpyNodeSetParams(
	cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
	CUDA_MEMCPY3D box;
	int res = box_find(params, &box);

	return node_set(res, node, &box);
}

EXPORT cudaError_t
cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
				 const struct cudaMemcpy3DParms *params)
{
	CUDA_MEMCPY3D box;
	int res = box_find(params, &box);

	return exec_set(res, exec, node, &box);
}

EXPORT cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node,
					    cudaGraph_t graph,
					    const cudaGraphNode_t *before,
					    size_t count, void *dst,
					    const void *src, size_t bytes,
					    enum cudaMemcpyKind kind)
{
	struct place at = {node, graph, before, count};
	CUDA_MEMCPY3D box;
	int res = line_of(dst, src, bytes, kind, &box);

	return node_add(res, at, &box);
}

EXPORT cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node,
						  void *dst, const void *src,
						  size_t bytes,
						  enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D box;
	int res = line_of(dst, src, bytes, kind, &box);

	return node_set(res, node, &box);
}

EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParams1D(
	cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src,
	size_t bytes, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D box;
	int res = line_of(dst, src, bytes, kind, &box);

	return exec_set(res, exec, node, &box);
}

EXPORT cudaError_t cudaGraphAddMemcpyNodeToSymbol(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, const void *symbol, const void *src, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind)
{
	struct place at = {node, graph, before, count};
	CUDA_MEMCPY3D box;
	int res = line_to_symbol(symbol, src, bytes, offset, kind, &box);

	return node_add(res, at, &box);
}

EXPORT cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(
	cudaGraphNode_t node, const void *symbol, const void *src, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D box;
	int res = line_to_symbol(symbol, src, bytes, offset, kind, &box);

	return node_set(res, node, &box);
}

EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
	cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
	const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D box;
	int res = line_to_symbol(symbol, src, bytes, offset, kind, &box);

	return exec_set(res, exec, node, &box);
}

EXPORT cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
	size_t count, void *dst, const void *symbol, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind)
{
	struct place at = {node, graph, before, count};
	CUDA_MEMCPY3D box;
	int res = line_from_symbol(dst, symbol, bytes, offset, kind, &box);

	return node_add(res, at, &box);
}

EXPORT cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(
	cudaGraphNode_t node, void *dst, const void *symbol, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D box;
	int res = line_from_symbol(dst, symbol, bytes, offset, kind, &box);

	return node_set(res, node, &box);
}

EXPORT cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
	cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
	const void *symbol, size_t bytes, size_t offset,
	enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY3D box;
	int res = line_from_symbol(dst, symbol, bytes, offset, kind, &box);

	return exec_set(res, exec, node, &box);
}

EXPORT cudaError_t cudaGraphMemcpyNodeGetParams(
	cudaGraphNode_t node, struct cudaMemcpy3DParms *params)
{
	CUDA_MEMCPY3D box;
	int res = params ? runtime_enter() : cudaErrorInvalidValue;

	if (!res)
		res = driver_legacy.GraphMemcpyNodeGetParams(node, &box);
	if (!res)
		res = box_read(&box, params);
	return runtime_result(res);
}
