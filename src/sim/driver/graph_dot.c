/* A graph as a text for Graphviz. */
#include <stdio.h>

#include "block.h"
#include "entries.h"
#include "graph.h"
#include "graph_block.h"
#include "module.h"
#include "node.h"
#include "op.h"

static const char *const names[] = {
	[CU_GRAPH_NODE_TYPE_KERNEL] = "kernel",
	[CU_GRAPH_NODE_TYPE_MEMCPY] = "copy",
	[CU_GRAPH_NODE_TYPE_MEMSET] = "fill",
	[CU_GRAPH_NODE_TYPE_HOST] = "host function",
	[CU_GRAPH_NODE_TYPE_GRAPH] = "graph",
	[CU_GRAPH_NODE_TYPE_EMPTY] = "empty",
	[CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "wait for an event",
	[CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "record of an event",
	[CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "allocation",
	[CU_GRAPH_NODE_TYPE_MEM_FREE] = "free",
	[CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "memory operations",
	[CU_GRAPH_NODE_TYPE_CONDITIONAL] = "condition",
};

static const char *name_of(const struct node *node)
{
	return (unsigned)node->type < sizeof(names) / sizeof(*names) &&
			       names[node->type]
		       ? names[node->type]
		       : "node";
}

static void details_print(FILE *out, const struct node *node)
{
	const struct op *op = node->work;

	if (node->memory)
		fprintf(out, "\\n%#llx, %zu bytes", node->memory->block->addr,
			node->memory->block->size);
	else if (node->event)
		fprintf(out, "\\n%p", (void *)node->event);
	else if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
		fprintf(out, "\\n%s\\n%ux%ux%u blocks of %ux%ux%u threads",
			op->launch.kernel->name, op->launch.shape.grid[0],
			op->launch.shape.grid[1], op->launch.shape.grid[2],
			op->launch.shape.block[0], op->launch.shape.block[1],
			op->launch.shape.block[2]);
	else if (node->type == CU_GRAPH_NODE_TYPE_MEMCPY)
		fprintf(out, "\\n%p to %p, %zux%zux%zu bytes",
			(const void *)op->copy.src, (void *)op->copy.dst,
			op->copy.width, op->copy.height, op->copy.depth);
	else if (node->type == CU_GRAPH_NODE_TYPE_MEMSET)
		fprintf(out, "\\n%p, %zux%zu of %u bytes, %#x",
			(void *)op->fill.dst, op->fill.width, op->fill.height,
			op->fill.element, op->fill.value);
}

/* A child graph is a cluster, and what is in it stands beside its node. */
static void graph_print(FILE *out, const struct graph *graph, unsigned flags)
{
	struct graph *inner;

	fprintf(out, "subgraph cluster_%llu {\nlabel=\"graph %llu\";\n",
		graph->id, graph->id);
	for (const struct node *n = graph->first; n; n = n->next) {
		fprintf(out, "node_%llu [label=\"%u %s", n->id, n->index,
			name_of(n));
		if (flags & CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)
			fprintf(out, "\\n%p", (const void *)n);
		if (flags & ~CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)
			details_print(out, n);
		fprintf(out, "\"];\n");
		for (unsigned i = 0; i < n->before.count; i++)
			fprintf(out, "node_%llu -> node_%llu;\n",
				n->before.at[i]->id, n->id);
		for (unsigned i = 0; (inner = node_inner(n, i)); i++)
			graph_print(out, inner, flags);
	}
	fprintf(out, "}\n");
}

CUresult sim_cuGraphDebugDotPrint(CUgraph handle, const char *path,
				  unsigned flags)
{
	struct graph *graph;
	FILE *out;
	CUresult res = graph_find(handle, &graph);

	if (res)
		return res;
	out = path ? fopen(path, "we") : NULL;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	fprintf(out, "digraph dot {\n");
	graph_print(out, graph, flags);
	fprintf(out, "}\n");
	return fclose(out) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}
