#include "condition.h"

#include <stdlib.h>

#include "context.h"
#include "entries.h"
#include "graph.h"
#include "graph_nodes.h"
#include "node.h"

struct condition {
	struct condition *next; /* of the graph */
	struct context *ctx;
	unsigned value; /* at each launch */
	bool used;      /* a node has it */
};

CUresult sim_cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out,
					    CUgraph handle, CUcontext where,
					    unsigned value, unsigned flags)
{
	struct condition *condition;
	struct context *ctx;
	struct graph *graph;
	CUresult res = graph_find(handle, &graph);

	if (!res)
		res = context_find(where, &ctx);
	if (!res && (!out || flags & ~CU_GRAPH_COND_ASSIGN_DEFAULT))
		res = CUDA_ERROR_INVALID_VALUE;
	if (res)
		return res;
	condition = malloc(sizeof(*condition));
	if (!condition)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*condition = (struct condition){.next = graph->conditions,
					.ctx = ctx,
					.value = flags ? value : 0};
	graph->conditions = condition;
	*out = (CUgraphConditionalHandle)condition;
	return CUDA_SUCCESS;
}

void conditions_close(struct graph *graph)
{
	struct condition *condition;

	while ((condition = graph->conditions)) {
		graph->conditions = condition->next;
		free(condition);
	}
}

static struct condition *condition_find(const struct graph *graph,
					CUgraphConditionalHandle handle)
{
	struct condition *condition = graph->conditions;

	while (condition && (CUgraphConditionalHandle)condition != handle)
		condition = condition->next;
	return condition;
}

static bool size_is_allowed(const CUDA_CONDITIONAL_NODE_PARAMS *params)
{
	switch (params->type) {
	case CU_GRAPH_COND_TYPE_IF:
		return params->size == 1 || params->size == 2;
	case CU_GRAPH_COND_TYPE_WHILE:
		return params->size == 1;
	default:
		return params->type == CU_GRAPH_COND_TYPE_SWITCH &&
		       params->size;
	}
}

/* The index of the body that runs. If none runs, the size or more. */
static unsigned body_of(const CUDA_CONDITIONAL_NODE_PARAMS *params,
			unsigned value)
{
	if (params->type == CU_GRAPH_COND_TYPE_SWITCH)
		return value;
	if (params->type == CU_GRAPH_COND_TYPE_WHILE)
		return 1;
	return value ? 0 : 1;
}

static CUresult bodies_open(struct node *node, unsigned count)
{
	node->bodies = calloc(count, sizeof(struct graph *));
	for (unsigned i = 0; node->bodies && i < count; i++) {
		node->bodies[i] = graph_open();
		if (!node->bodies[i])
			return CUDA_ERROR_OUT_OF_MEMORY;
		node->bodies[i]->owned = true;
		node->body_count++;
	}
	return node->bodies ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult condition_add(const struct place *place,
		       CUDA_CONDITIONAL_NODE_PARAMS *params)
{
	struct condition *condition;
	struct context *ctx;
	struct graph *graph;
	struct node *node;
	unsigned body;
	CUresult res = graph_find(place->graph, &graph);

	if (!res)
		res = context_find(params->ctx, &ctx);
	if (res)
		return res;
	condition = condition_find(graph, params->handle);
	if (!condition || condition->used || condition->ctx != ctx ||
	    !size_is_allowed(params))
		return CUDA_ERROR_INVALID_VALUE;
	/* Nobody can set it, so the loop would never end. */
	if (params->type == CU_GRAPH_COND_TYPE_WHILE && condition->value)
		return CUDA_ERROR_NOT_SUPPORTED;
	res = node_add(place, CU_GRAPH_NODE_TYPE_CONDITIONAL, &node);
	if (!res)
		res = bodies_open(node, params->size);
	if (res)
		return res;
	condition->used = true;
	body = body_of(params, condition->value);
	node->child = body < params->size ? node->bodies[body] : NULL;
	params->phGraph_out = (CUgraph *)node->bodies;
	return CUDA_SUCCESS;
}
