#include "condition.h"

#include <stdlib.h>

#include "context.h"
#include "entries.h"
#include "graph.h"
#include "graph_nodes.h"
#include "node.h"
#include "world.h"

static struct condition *spare, *newest;

static struct condition *condition_new(void)
{
	struct condition *condition = spare;

	if (condition) {
		spare = condition->next;
		return condition;
	}
	condition = malloc(sizeof(*condition));
	if (!condition)
		return NULL;
	condition->made = newest;
	newest = condition;
	return condition;
}

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
	condition = condition_new();
	if (!condition)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*condition = (struct condition){.made = condition->made,
					.first = flags ? value : 0,
					.users = 1,
					.next = graph->conditions,
					.ctx = ctx};
	graph->conditions = condition;
	*out = (CUgraphConditionalHandle)condition;
	return CUDA_SUCCESS;
}

void condition_drop(struct condition *condition)
{
	if (--condition->users)
		return;
	condition->next = spare;
	spare = condition;
}

void conditions_close(struct graph *graph)
{
	struct condition *condition;

	while ((condition = graph->conditions)) {
		graph->conditions = condition->next;
		condition_drop(condition);
	}
}

/* The condition of a handle may be of the graph or of one around it, which is
 * not looked at. A handle is any number. */
static struct condition *condition_find(CUgraphConditionalHandle handle)
{
	struct condition *condition = newest;

	while (condition && (CUgraphConditionalHandle)condition != handle)
		condition = condition->made;
	return condition && condition->users ? condition : NULL;
}

bool condition_set(CUgraphConditionalHandle handle, unsigned value)
{
	struct condition *condition;

	pthread_mutex_lock(&world.lock);
	condition = condition_find(handle);
	if (condition)
		__atomic_store_n(&condition->value, value, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&world.lock);
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
	struct condition *condition = condition_find(params->handle);
	struct context *ctx;
	struct node *node;
	CUresult res = context_find(params->ctx, &ctx);

	if (res)
		return res;
	if (!condition || condition->used || condition->ctx != ctx ||
	    !size_is_allowed(params))
		return CUDA_ERROR_INVALID_VALUE;
	res = node_add(place, CU_GRAPH_NODE_TYPE_CONDITIONAL, &node);
	if (!res)
		res = bodies_open(node, params->size);
	if (res)
		return res;
	condition->used = true;
	condition->users++;
	node->condition = condition;
	node->how = params->type;
	node->ctx = ctx;
	node->ctx_id = ctx->id;
	params->phGraph_out = (CUgraph *)node->bodies;
	return CUDA_SUCCESS;
}

bool condition_copy(const struct node *node, struct node *copy)
{
	copy->ctx = node->ctx;
	copy->ctx_id = node->ctx_id;
	copy->how = node->how;
	copy->condition = node->condition;
	copy->condition->users++;
	copy->bodies = calloc(node->body_count, sizeof(struct graph *));
	if (!copy->bodies)
		return false;
	for (unsigned i = 0; i < node->body_count; i++) {
		copy->bodies[i] = graph_copy(node->bodies[i]);
		if (!copy->bodies[i])
			return false;
		copy->bodies[i]->owned = true;
		copy->body_count++;
	}
	return true;
}

bool graph_has_conditions(const struct graph *graph)
{
	for (const struct node *n = graph->first; n; n = n->next)
		if (n->condition ||
		    (n->child && graph_has_conditions(n->child)))
			return true;
	return false;
}

static bool body_fits(const struct graph *graph)
{
	for (const struct node *n = graph->first; n; n = n->next) {
		struct graph *inner;

		if (n->type != CU_GRAPH_NODE_TYPE_KERNEL &&
		    n->type != CU_GRAPH_NODE_TYPE_MEMCPY &&
		    n->type != CU_GRAPH_NODE_TYPE_MEMSET &&
		    n->type != CU_GRAPH_NODE_TYPE_EMPTY &&
		    n->type != CU_GRAPH_NODE_TYPE_GRAPH &&
		    n->type != CU_GRAPH_NODE_TYPE_CONDITIONAL)
			return false;
		for (unsigned i = 0; (inner = node_inner(n, i)); i++)
			if (!body_fits(inner))
				return false;
	}
	return true;
}

bool conditions_fit(const struct graph *graph)
{
	for (const struct node *n = graph->first; n; n = n->next) {
		for (unsigned i = 0; i < n->body_count; i++)
			if (!body_fits(n->bodies[i]))
				return false;
		if (n->child && !conditions_fit(n->child))
			return false;
	}
	return true;
}
