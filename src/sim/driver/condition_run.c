/* How conditional nodes run: the nodes of a graph one after the other, on the
 * thread that runs the operation. */
#include <stdlib.h>

#include "condition.h"
#include "context.h"
#include "device.h"
#include "exec.h"
#include "fault.h"
#include "graph.h"
#include "node.h"
#include "op.h"
#include "stream.h"

static void graph_walk(const struct graph *graph);

/* Kernels set the value from other threads, too. */
static unsigned value_of(const struct condition *condition)
{
	return __atomic_load_n(&condition->value, __ATOMIC_ACQUIRE);
}

/* On a lost device nothing sets the value, so no loop would end. */
static void condition_walk(const struct node *node)
{
	unsigned value = value_of(node->condition), body = value ? 0 : 1;

	if (node->how == CU_GRAPH_COND_TYPE_WHILE) {
		while (value_of(node->condition) && !fault_is_lost())
			graph_walk(node->bodies[0]);
		return;
	}
	if (node->how == CU_GRAPH_COND_TYPE_SWITCH)
		body = value;
	if (body < node->body_count)
		graph_walk(node->bodies[body]);
}

static void graph_walk(const struct graph *graph)
{
	for (const struct node *n = graph->first; n; n = n->next) {
		if (n->off)
			continue;
		if (n->condition)
			condition_walk(n);
		else if (n->child)
			graph_walk(n->child);
		else if (n->work)
			n->work->run(n->work);
	}
}

static void condition_run(struct op *op)
{
	graph_walk(op->inner);
}

static void condition_ended(struct op *op)
{
	graph_close(op->inner);
}

static bool graph_touch(struct op *op, const struct graph *graph)
{
	struct graph *inner;
	bool ok = true;

	for (const struct node *n = graph->first; n; n = n->next) {
		for (unsigned i = 0; (inner = node_inner(n, i)); i++)
			ok &= graph_touch(op, inner);
		if (!n->work || !n->work->touch)
			continue;
		/* What the node's own operation touches goes to this one. */
		n->work->touched = op->touched;
		n->work->touched_count = op->touched_count;
		n->work->touched_room = op->touched_room;
		ok &= n->work->touch(n->work);
		op->touched = n->work->touched;
		op->touched_count = n->work->touched_count;
		op->touched_room = n->work->touched_room;
		op->site.widened |= n->work->site.widened;
		n->work->touched = NULL;
		n->work->touched_count = n->work->touched_room = 0;
	}
	return ok;
}

/* Of every graph that may run. */
static bool condition_touch(struct op *op)
{
	return graph_touch(op, op->inner);
}

/* Notes that kernels may run. */
static void launches_count(const struct graph *graph)
{
	struct graph *inner;

	for (const struct node *n = graph->first; n; n = n->next) {
		if (n->type == CU_GRAPH_NODE_TYPE_KERNEL)
			n->ctx->dev->launches++;
		for (unsigned i = 0; (inner = node_inner(n, i)); i++)
			launches_count(inner);
	}
}

struct op *condition_op(struct node *node)
{
	struct op *op = op_new(condition_run);

	if (!op)
		return NULL;
	op->inner = graph_of_copy(node);
	if (!op->inner) {
		op_drop(op);
		return NULL;
	}
	op->ended = condition_ended;
	op->touch = condition_touch;
	launches_count(op->inner);
	return op;
}

/* The conditions of a graph and of the graphs in it. If `into` is not NULL,
 * stores them there and counts the operation that has them. */
static size_t conditions_list(const struct graph *graph,
			      struct condition **into)
{
	struct graph *inner;
	size_t count = 0;

	for (const struct node *n = graph->first; n; n = n->next) {
		if (n->condition && into) {
			into[count] = n->condition;
			n->condition->users++;
		}
		count += n->condition != NULL;
		for (unsigned i = 0; (inner = node_inner(n, i)); i++)
			count += conditions_list(inner,
						 into ? into + count : NULL);
	}
	return count;
}

/* The list ends with NULL. */
static void start_run(struct op *op)
{
	for (struct condition **at = op->owned; *at; at++)
		__atomic_store_n(&(*at)->value, (*at)->first, __ATOMIC_RELEASE);
}

static void start_ended(struct op *op)
{
	for (struct condition **at = op->owned; *at; at++)
		condition_drop(*at);
}

CUresult conditions_start(const struct exec *exec, struct stream *stream)
{
	size_t count = conditions_list(exec->graph, NULL);
	struct op *op;

	if (!count)
		return CUDA_SUCCESS;
	op = fence_merge(&stream->waits, &exec->last) ? op_new(start_run)
						      : NULL;
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->owned = calloc(count + 1, sizeof(struct condition *));
	if (!op->owned) {
		op_drop(op);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	op->ended = start_ended;
	conditions_list(exec->graph, op->owned);
	return op_submit(op, stream, 0);
}
