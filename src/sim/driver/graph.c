#include "graph.h"

#include <stdlib.h>

#include "condition.h"
#include "graph_block.h"
#include "launch_attributes.h"
#include "node.h"
#include "op.h"
#include "user_object.h"

static struct graph *spare, *made;
static unsigned long long ids;

struct graph *graph_open(void)
{
	struct graph *graph = spare;

	if (graph) {
		spare = graph->next;
	} else {
		graph = malloc(sizeof(*graph));
		if (!graph)
			return NULL;
		graph->made = made;
		made = graph;
	}
	*graph = (struct graph){
		.magic = GRAPH_MAGIC, .id = ++ids, .made = graph->made};
	graph->last = &graph->first;
	return graph;
}

void graph_close(struct graph *graph)
{
	struct node *next;

	graph->magic = 0;
	conditions_close(graph);
	user_objects_close(graph);
	for (struct node *node = graph->first; node; node = next) {
		next = node->next;
		node_close(node);
	}
	graph->next = spare;
	spare = graph;
}

void graph_remove(struct graph *graph, struct node *node)
{
	unsigned index = 0;

	graph->last = &graph->first;
	for (struct node *n = graph->first, *next; n; n = next) {
		next = n->next;
		if (n == node)
			continue;
		nodes_remove(&n->before, node);
		n->index = index++;
		*graph->last = n;
		graph->last = &n->next;
	}
	*graph->last = NULL;
	graph->count = index;
	node_close(node);
}

CUresult graph_find(CUgraph handle, struct graph **out)
{
	struct graph *graph = (struct graph *)handle;

	if (!graph || graph->magic != GRAPH_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	*out = graph;
	return CUDA_SUCCESS;
}

/* Copies a node without its edges: the copies of the nodes that it depends on
 * may not be there yet. */
static bool copy_node(struct node *node, struct graph *into)
{
	struct op *work = NULL;
	struct node *copy;

	if (node_open(into, node->type, &(struct nodes){0}, &copy))
		return false;
	node->twin = copy;
	copy->of = node->id;
	copy->off = node->off;
	copy->event = node->event;
	copy->event_id = node->event_id;
	if (!attributes_copy(node->attributes, &copy->attributes))
		return false;
	if (node->work) {
		work = op_copy(node->work);
		if (!work)
			return false;
		node_set_work(copy, work, node->ns, node->ctx);
		copy->ctx_id = node->ctx_id;
	}
	copy->memory = node->memory;
	if (copy->memory)
		copy->memory->users++;
	if (node->condition && !condition_copy(node, copy))
		return false;
	if (node->child)
		copy->child = graph_copy(node->child);
	if (copy->child)
		copy->child->owned = true;
	return !node->child == !copy->child;
}

struct graph *graph_of_copy(struct node *node)
{
	struct graph *graph = graph_open();

	if (!graph || copy_node(node, graph))
		return graph;
	graph_close(graph);
	return NULL;
}

static bool copy_edges(struct node *node)
{
	bool ok = true;

	for (unsigned i = 0; i < node->before.count; i++)
		ok &= nodes_add(&node->twin->before, node->before.at[i]->twin);
	return ok;
}

struct graph *graph_copy(struct graph *graph)
{
	struct graph *copy = graph_open();
	bool ok;

	if (!copy)
		return NULL;
	ok = user_objects_copy(graph, copy);
	for (struct node *n = graph->first; n && ok; n = n->next)
		ok = copy_node(n, copy);
	for (struct node *n = graph->first; n && ok; n = n->next)
		ok = copy_edges(n);
	if (ok)
		return copy;
	graph_close(copy);
	return NULL;
}

static bool is_ready(const struct node *node)
{
	for (unsigned i = 0; i < node->before.count; i++)
		if (!node->before.at[i]->marked)
			return false;
	return true;
}

/* Moves what is ready from a list to the graph's own. Returns false if nothing
 * was ready. */
static bool take_ready(struct graph *graph, struct node **rest)
{
	bool moved = false;

	while (*rest) {
		struct node *node = *rest;

		if (!is_ready(node)) {
			rest = &node->next;
			continue;
		}
		*rest = node->next;
		node->next = NULL;
		node->marked = true;
		*graph->last = node;
		graph->last = &node->next;
		moved = true;
	}
	return moved;
}

/* Puts each node behind those that it depends on, in child graphs too. Returns
 * false if there is a cycle: then the graph can only be closed. */
static bool graph_sort(struct graph *graph)
{
	struct node *rest = graph->first;
	struct graph *inner;

	for (struct node *n = rest; n; n = n->next)
		n->marked = false;
	for (struct node *n = rest; n; n = n->next)
		for (unsigned i = 0; (inner = node_inner(n, i)); i++)
			if (!graph_sort(inner))
				return false;
	graph->first = NULL;
	graph->last = &graph->first;
	while (rest) {
		if (!take_ready(graph, &rest)) {
			*graph->last = rest;
			return false;
		}
	}
	return true;
}

/* The first node whose copy has found no place. */
static struct node *unplaced(const struct graph *graph)
{
	struct node *node = graph->first;

	while (node->next && node->twin->marked)
		node = node->next;
	return node;
}

CUresult graph_copy_sorted(struct graph *graph, struct graph **out,
			   struct node **bad)
{
	struct graph *copy = graph_copy(graph);

	if (!copy)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!graph_sort(copy)) {
		if (bad)
			*bad = unplaced(graph);
		graph_close(copy);
		return CUDA_ERROR_INVALID_VALUE;
	}
	*out = copy;
	return CUDA_SUCCESS;
}
