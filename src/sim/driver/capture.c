#include "capture.h"

#include <stdlib.h>

#include "context.h"
#include "graph.h"
#include "node.h"
#include "op.h"
#include "stream.h"
#include "thread.h"
#include "world.h"

static struct capture *captures;
static unsigned long long ids;

CUresult capture_open(struct stream *origin, struct graph *graph,
		      const struct nodes *after, CUstreamCaptureMode mode)
{
	struct capture *capture = malloc(sizeof(*capture));
	CUresult res;

	if (!capture)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*capture = (struct capture){.id = ++ids,
				    .graph = graph ? graph : graph_open(),
				    .lent = graph,
				    .origin = origin,
				    .mode = mode,
				    .thread = &self,
				    .next = captures};
	res = capture->graph ? capture_join(capture, origin, after)
			     : CUDA_ERROR_OUT_OF_MEMORY;
	if (res) {
		if (capture->graph && !graph)
			graph_close(capture->graph);
		free(capture);
		return res;
	}
	capture->graph->capturing = true;
	captures = capture;
	world_busy();
	return CUDA_SUCCESS;
}

static void stream_release(struct stream *stream)
{
	stream->capture = NULL;
	nodes_clear(&stream->frontier);
}

void capture_close(struct capture *capture)
{
	struct capture **at = &captures;

	for (struct stream *s = capture->streams; s; s = s->captured)
		stream_release(s);
	if (capture->graph)
		capture->graph->capturing = false;
	if (capture->graph && !capture->lent)
		graph_close(capture->graph);
	while (*at != capture)
		at = &(*at)->next;
	*at = capture->next;
	world_calm();
	free(capture);
}

struct capture *capture_find(unsigned long long id)
{
	for (struct capture *c = captures; c; c = c->next)
		if (c->id == id)
			return c;
	return NULL;
}

CUresult capture_join(struct capture *capture, struct stream *stream,
		      const struct nodes *after)
{
	if (!nodes_merge(&stream->frontier, after)) {
		nodes_clear(&stream->frontier);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	stream->capture = capture;
	stream->captured = capture->streams;
	capture->streams = stream;
	return CUDA_SUCCESS;
}

/* Marks nodes and all that they depend on. `todo` has room for each once. */
static void mark_back(const struct nodes *ends, struct node **todo)
{
	const struct nodes *now = ends;
	unsigned left = 0;

	for (;;) {
		for (unsigned i = 0; i < now->count; i++) {
			if (now->at[i]->marked)
				continue;
			now->at[i]->marked = true;
			todo[left++] = now->at[i];
		}
		if (!left)
			return;
		now = &todo[--left]->before;
	}
}

CUresult capture_mark(const struct capture *capture)
{
	struct graph *graph = capture->graph;
	struct node **todo = calloc(graph->count + 1, sizeof(struct node *));

	if (!todo)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (struct node *n = graph->first; n; n = n->next)
		n->marked = false;
	mark_back(&capture->origin->frontier, todo);
	free(todo);
	return CUDA_SUCCESS;
}

bool capture_has_joined(const struct stream *stream)
{
	for (unsigned i = 0; i < stream->frontier.count; i++)
		if (!stream->frontier.at[i]->marked)
			return false;
	return true;
}

void capture_leave(struct stream *stream)
{
	struct capture *capture = stream->capture;
	struct stream **at;

	if (!capture)
		return;
	if (capture->origin == stream) {
		capture_close(capture);
		return;
	}
	if (capture_mark(capture) || !capture_has_joined(stream))
		capture->invalid = true;
	for (at = &capture->streams; *at != stream;)
		at = &(*at)->captured;
	*at = stream->captured;
	stream_release(stream);
}

CUresult capture_node(struct stream *stream, CUgraphNodeType type,
		      struct node **out)
{
	struct capture *capture = stream->capture;
	struct nodes frontier = {0};
	CUresult res;

	res = node_open(capture->graph, type, &stream->frontier, out);
	if (!res && !nodes_add(&frontier, *out))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	if (res) {
		capture->invalid = true; /* its graph is not complete */
		return res;
	}
	nodes_clear(&stream->frontier);
	stream->frontier = frontier;
	return CUDA_SUCCESS;
}

CUresult capture_take(struct op *op, struct stream *stream, uint64_t ns)
{
	struct node *node;
	CUresult res = capture_node(stream, op->type, &node);

	if (res)
		op_drop(op);
	else
		node_set_work(node, op, ns, stream->ctx);
	return res;
}

CUresult capture_refuse(struct capture *capture)
{
	capture->invalid = true;
	return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/* The modes, as cuThreadExchangeStreamCaptureMode describes them. */
static bool forbids(const struct capture *capture)
{
	if (self.capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
		return false;
	if (capture->thread == &self)
		return capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
	return self.capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
	       capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult capture_permit(void)
{
	CUresult res = CUDA_SUCCESS;

	for (struct capture *c = captures; c; c = c->next)
		if (forbids(c))
			res = capture_refuse(c);
	return res;
}

CUresult capture_permit_context(struct context *ctx)
{
	struct context *part = NULL;
	CUresult res = CUDA_SUCCESS;

	while (captures && (part = context_part(ctx, part)))
		for (struct stream *s = part->streams; s; s = s->next)
			if (s->capture)
				res = capture_refuse(s->capture);
	return res;
}

bool capture_blocks_legacy(const struct context *ctx)
{
	for (struct stream *s = ctx->streams; captures && s; s = s->next)
		if (s->capture && stream_is_blocking(s))
			return true;
	return false;
}

CUresult capture_permit_legacy(struct context *ctx)
{
	CUresult res = CUDA_SUCCESS;

	for (struct stream *s = ctx->streams; captures && s; s = s->next) {
		if (s->capture && stream_is_blocking(s)) {
			s->capture->invalid = true;
			res = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
		}
	}
	return res;
}
