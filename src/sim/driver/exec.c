#include "exec.h"

#include <stdlib.h>

#include "condition.h"
#include "context.h"
#include "device.h"
#include "event.h"
#include "graph.h"
#include "graph_block.h"
#include "node.h"
#include "op.h"
#include "stream.h"
#include "thread.h"
#include "user_object.h"

/* A launch uses the launching stream and, where branches run side by side,
 * hidden streams that end with the launch. */
struct run {
	struct stream *home;
	bool home_used;
	struct stream **lanes;
	unsigned count, room;
};

static CUresult graph_run(struct run *run, struct graph *graph,
			  struct fence *done, uint64_t *time);

CUresult exec_find(CUgraphExec handle, struct exec **out)
{
	struct exec *exec = (struct exec *)handle;

	if (!exec || exec->magic != EXEC_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	*out = exec;
	return CUDA_SUCCESS;
}

static void reach(uint64_t *time, uint64_t other)
{
	if (*time < other)
		*time = other;
}

/* Whether the fence waits for the stream's last operation. */
static bool is_end_of(const struct fence *fence, const struct stream *stream)
{
	for (unsigned i = 0; i < fence->count; i++)
		if (fence->points[i].stream == stream)
			return fence->points[i].position == stream->submitted;
	return false;
}

static CUresult lane_open(struct run *run, struct context *ctx,
			  struct stream **out)
{
	CUresult res;

	if (run->count == run->room) {
		unsigned room = run->room ? 2 * run->room : 4;
		struct stream **lanes =
			realloc(run->lanes, room * sizeof(struct stream *));

		if (!lanes)
			return CUDA_ERROR_OUT_OF_MEMORY;
		run->lanes = lanes;
		run->room = room;
	}
	res = stream_open(ctx, CU_STREAM_NON_BLOCKING, run->home->priority,
			  out);
	if (!res)
		run->lanes[run->count++] = *out;
	return res;
}

/* Finds or opens a stream that adds no order which the graph does not have. */
static CUresult lane_find(struct run *run, struct context *ctx,
			  const struct fence *before, struct stream **out)
{
	if (run->home->ctx == ctx &&
	    (!run->home_used || is_end_of(before, run->home))) {
		run->home_used = true;
		*out = run->home;
		return CUDA_SUCCESS;
	}
	for (unsigned i = 0; i < run->count; i++) {
		if (run->lanes[i]->ctx == ctx &&
		    is_end_of(before, run->lanes[i])) {
			*out = run->lanes[i];
			return CUDA_SUCCESS;
		}
	}
	return lane_open(run, ctx, out);
}

/* Queues what a node does. node->done holds what the node waits for, and then
 * the node's own end. */
static CUresult work_run(struct run *run, struct node *node, struct op *op)
{
	struct stream *lane;
	CUresult res;

	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = lane_find(run, node->ctx, &node->done, &lane);
	if (!res && !fence_merge(&lane->waits, &node->done))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	if (res) {
		op_drop(op);
		return res;
	}
	reach(&lane->end, node->end);
	if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
		node->ctx->dev->launches++;
	res = op_submit(op, lane, node->ns);
	if (res)
		return res;
	if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		graph_block_begun(node->memory);
	else if (node->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
		graph_block_freed(node->memory);
	fence_clear(&node->done);
	node->end = lane->end;
	return fence_add(&node->done, lane, lane->submitted)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A launch passes over an event that was destroyed. */
static CUresult event_run(struct node *node)
{
	struct event *event = node->event;

	if (event->magic != EVENT_MAGIC || event->id != node->event_id)
		return CUDA_SUCCESS;
	return node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD
		       ? event_record_node(event, &node->done, node->end)
		       : event_wait_node(event, &node->done, &node->end);
}

static CUresult node_run(struct run *run, struct node *node,
			 const struct fence *start, uint64_t time)
{
	bool ok = node->before.count || fence_merge(&node->done, start);

	node->end = time;
	for (unsigned i = 0; i < node->before.count; i++) {
		ok &= fence_merge(&node->done, &node->before.at[i]->done);
		reach(&node->end, node->before.at[i]->end);
	}
	if (!ok)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (node->off)
		return CUDA_SUCCESS;
	if (node->event)
		return event_run(node);
	if (node->child)
		return graph_run(run, node->child, &node->done, &node->end);
	if (node->condition)
		return work_run(run, node, condition_op(node));
	return node->work ? work_run(run, node, op_copy(node->work))
			  : CUDA_SUCCESS;
}

/* `done` holds what the graph waits for, and then also the graph's end. */
static CUresult graph_run(struct run *run, struct graph *graph,
			  struct fence *done, uint64_t *time)
{
	CUresult res = CUDA_SUCCESS;
	struct fence start = {0};
	uint64_t start_time = *time;

	if (!fence_merge(&start, done))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	for (struct node *n = graph->first; n && !res; n = n->next)
		res = node_run(run, n, &start, start_time);
	for (struct node *n = graph->first; n; n = n->next) {
		if (!res && !fence_merge(done, &n->done))
			res = CUDA_ERROR_OUT_OF_MEMORY;
		reach(time, n->end);
		fence_clear(&n->done);
	}
	fence_clear(&start);
	return res;
}

static bool is_alive(const struct graph *graph)
{
	struct graph *inner;

	for (struct node *n = graph->first; n; n = n->next) {
		if (n->ctx && (!n->ctx->alive || n->ctx->id != n->ctx_id))
			return false;
		for (unsigned i = 0; (inner = node_inner(n, i)); i++)
			if (!is_alive(inner))
				return false;
	}
	return true;
}

/* Closes the hidden streams. The launching stream goes on when all of their
 * work is done. */
static bool run_close(struct run *run)
{
	bool ok = true;

	for (unsigned i = 0; i < run->count; i++) {
		struct stream *lane = run->lanes[i];

		ok &= stream_points(lane, &run->home->waits);
		reach(&run->home->end, lane->end);
		stream_close(lane);
	}
	free(run->lanes);
	return ok;
}

CUresult exec_launch(struct exec *exec, struct stream *stream)
{
	struct run run = {.home = stream};
	uint64_t time = self.now;
	struct fence done = {0};
	CUresult res;

	if (!is_alive(exec->graph))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	res = graph_blocks_launch(exec, stream);
	if (!res)
		res = conditions_start(exec, stream);
	if (res)
		return res;
	if (!stream_before(stream, &done, &time) ||
	    !fence_merge(&done, &exec->last))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	reach(&time, exec->end);
	if (!res)
		res = graph_run(&run, exec->graph, &done, &time);
	/* What the last nodes wait for may be in other streams. */
	if (!res && !fence_merge(&stream->waits, &done))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	reach(&stream->end, time);
	fence_clear(&done);
	fence_done(&exec->last);
	if (!run_close(&run) || !user_objects_hold(exec->graph, stream) ||
	    !stream_points(stream, &exec->last))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	exec->end = stream->end;
	return res;
}
