#include "node.h"

#include <stdlib.h>
#include <string.h>

#include "condition.h"
#include "context.h"
#include "event.h"
#include "graph.h"
#include "graph_block.h"
#include "launch_attributes.h"
#include "op.h"

static struct node *spare;
static unsigned long long ids;

CUresult node_open(struct graph *graph, CUgraphNodeType type,
		   const struct nodes *before, struct node **out)
{
	struct node *node = spare;

	if (node)
		spare = node->next;
	else
		node = malloc(sizeof(*node));
	if (!node)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*node = (struct node){.type = type, .graph = graph, .id = ++ids};
	if (!nodes_merge(&node->before, before)) {
		node_close(node);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	node->magic = NODE_MAGIC;
	node->index = graph->count++;
	*graph->last = node;
	graph->last = &node->next;
	*out = node;
	return CUDA_SUCCESS;
}

void node_set_work(struct node *node, struct op *work, uint64_t ns,
		   struct context *ctx)
{
	node->work = work;
	node->ns = ns;
	node->ctx = ctx;
	node->ctx_id = ctx->id;
}

void node_set_event(struct node *node, struct event *event)
{
	node->event = event;
	node->event_id = event->id;
}

void node_close(struct node *node)
{
	node->magic = 0;
	if (node->work)
		op_drop(node->work);
	if (node->memory)
		graph_block_drop(node->memory);
	if (node->child)
		graph_close(node->child);
	for (unsigned i = 0; i < node->body_count; i++)
		/* NOLINTNEXTLINE(*-core.NullDereference): they are there */
		graph_close(node->bodies[i]);
	free(node->bodies);
	if (node->condition)
		condition_drop(node->condition);
	free(node->attributes);
	nodes_clear(&node->before);
	fence_clear(&node->done);
	node->next = spare;
	spare = node;
}

struct node *node_copy_in(struct graph *graph, unsigned long long id)
{
	struct node *found = NULL;
	struct graph *inner;

	for (struct node *n = graph->first; n && !found; n = n->next) {
		if (n->of == id)
			return n;
		for (unsigned i = 0; !found && (inner = node_inner(n, i)); i++)
			found = node_copy_in(inner, id);
	}
	return found;
}

CUresult node_find(CUgraphNode handle, struct node **out)
{
	struct node *node = (struct node *)handle;

	if (!node || node->magic != NODE_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	*out = node;
	return CUDA_SUCCESS;
}

CUresult node_set_find(const struct graph *graph, const CUgraphNode *handles,
		       size_t count, struct nodes *nodes)
{
	CUresult res = CUDA_SUCCESS;
	struct node *node;

	if (count && !handles)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count && !res; i++) {
		res = node_find(handles[i], &node);
		if (!res && (node->graph != graph || nodes_have(nodes, node)))
			res = CUDA_ERROR_INVALID_VALUE;
		if (!res && !nodes_add(nodes, node))
			res = CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (res)
		nodes_clear(nodes);
	return res;
}

CUresult node_data_check(const CUgraphEdgeData *data, size_t count)
{
	static const CUgraphEdgeData none;

	for (size_t i = 0; data && i < count; i++)
		if (memcmp(&data[i], &none, sizeof(none)) != 0)
			return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}
