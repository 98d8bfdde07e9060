#include <stdlib.h>

#include "capture.h"
#include "context.h"
#include "entries.h"
#include "graph.h"
#include "node.h"
#include "stream.h"
#include "thread.h"

enum { EDGES_MAX = 1024 };

/* No edge has data, so a program that asks for it reads zeros. */
static const CUgraphEdgeData no_data[EDGES_MAX];

CUresult sim_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUstreamCaptureMode old = self.capture_mode;

	if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	self.capture_mode = *mode;
	*mode = old;
	return CUDA_SUCCESS;
}

static CUresult begin(CUstream handle, struct graph *graph,
		      const struct nodes *after, CUstreamCaptureMode mode)
{
	struct stream *stream;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	if (mode > CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream == stream->ctx->legacy)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	return capture_open(stream, graph, after, mode);
}

CUresult sim_cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode)
{
	return begin(handle, NULL, &(struct nodes){0}, mode);
}

CUresult sim_cuStreamBeginCapture(CUstream handle)
{
	return sim_cuStreamBeginCapture_v2(handle,
					   CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult sim_cuStreamBeginCaptureToGraph(CUstream handle, CUgraph into,
					 const CUgraphNode *dependencies,
					 const CUgraphEdgeData *data,
					 size_t count, CUstreamCaptureMode mode)
{
	struct nodes after = {0};
	struct graph *graph;
	CUresult res = graph_find(into, &graph);

	if (!res && graph->capturing)
		res = CUDA_ERROR_ILLEGAL_STATE;
	if (!res)
		res = node_data_check(data, count);
	if (!res)
		res = node_set_find(graph, dependencies, count, &after);
	if (!res)
		res = begin(handle, graph, &after, mode);
	nodes_clear(&after);
	return res;
}

/* Checks that the origin has joined all that its capture's streams did. */
static CUresult check_joined(const struct capture *capture)
{
	bool joined = true;
	CUresult res = capture_mark(capture);

	for (struct stream *s = capture->streams; s && !res; s = s->captured)
		joined &= capture_has_joined(s);
	if (res)
		return res;
	return joined ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

static CUresult end(struct capture *capture, CUgraph *out)
{
	CUresult res = capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
					: check_joined(capture);

	if (out)
		*out = res ? NULL : (CUgraph)capture->graph;
	if (!res)
		capture->lent = true; /* it is the program's from now on */
	capture_close(capture);
	return res;
}

CUresult sim_cuStreamEndCapture(CUstream handle, CUgraph *out)
{
	struct stream *stream;
	struct capture *capture;
	CUresult res = stream_find(handle, &stream);

	if (res)
		return res;
	capture = stream->capture;
	/* A graph that the program has need not be told. */
	if (!out && !(capture && capture->lent))
		return CUDA_ERROR_INVALID_VALUE;
	if (!capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (capture->origin != stream) {
		capture->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	}
	if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
	    capture->thread != &self) {
		capture->invalid = true;
		return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	}
	return end(capture, out);
}

static CUresult status_find(CUstream handle, struct stream **stream,
			    CUstreamCaptureStatus *status)
{
	CUresult res = stream_find(handle, stream);

	if (res)
		return res;
	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	if (*stream == (*stream)->ctx->legacy &&
	    capture_blocks_legacy((*stream)->ctx))
		return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	if (!(*stream)->capture)
		*status = CU_STREAM_CAPTURE_STATUS_NONE;
	else if ((*stream)->capture->invalid)
		*status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
	else
		*status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
	struct stream *stream;

	return status_find(handle, &stream, status);
}

CUresult sim_cuStreamGetCaptureInfo_v2(CUstream handle,
				       CUstreamCaptureStatus *status,
				       cuuint64_t *id, CUgraph *graph,
				       const CUgraphNode **dependencies,
				       size_t *count)
{
	struct stream *stream;
	CUresult res = status_find(handle, &stream, status);

	if (res || !stream->capture)
		return res;
	if (id)
		*id = stream->capture->id;
	if (graph)
		*graph = (CUgraph)stream->capture->graph;
	if (dependencies)
		*dependencies = (const CUgraphNode *)stream->frontier.at;
	if (count)
		*count = stream->frontier.count;
	return CUDA_SUCCESS;
}

CUresult sim_cuStreamGetCaptureInfo(CUstream handle,
				    CUstreamCaptureStatus *status,
				    cuuint64_t *id)
{
	return sim_cuStreamGetCaptureInfo_v2(handle, status, id, NULL, NULL,
					     NULL);
}

CUresult sim_cuStreamGetCaptureInfo_v3(CUstream handle,
				       CUstreamCaptureStatus *status,
				       cuuint64_t *id, CUgraph *graph,
				       const CUgraphNode **dependencies,
				       const CUgraphEdgeData **data,
				       size_t *count)
{
	struct stream *stream;
	CUresult res = status_find(handle, &stream, status);

	if (res)
		return res;
	if (data && !dependencies)
		return CUDA_ERROR_INVALID_VALUE;
	if (data && stream->frontier.count > EDGES_MAX)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (data && stream->capture)
		*data = no_data;
	return sim_cuStreamGetCaptureInfo_v2(handle, status, id, graph,
					     dependencies, count);
}

CUresult sim_cuStreamUpdateCaptureDependencies_v2(CUstream handle,
						  CUgraphNode *dependencies,
						  const CUgraphEdgeData *data,
						  size_t count, unsigned flags)
{
	struct nodes after = {0};
	struct stream *stream;
	CUresult res = stream_use(handle, &stream);

	if (!res && !stream->capture)
		res = CUDA_ERROR_ILLEGAL_STATE;
	if (!res && flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		res = node_data_check(data, count);
	if (!res)
		res = node_set_find(stream->capture->graph, dependencies, count,
				    &after);
	if (res)
		return res;
	if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
		nodes_clear(&stream->frontier);
		stream->frontier = after;
		return CUDA_SUCCESS;
	}
	if (!nodes_merge(&stream->frontier, &after))
		res = CUDA_ERROR_OUT_OF_MEMORY;
	nodes_clear(&after);
	return res;
}

CUresult sim_cuStreamUpdateCaptureDependencies(CUstream handle,
					       CUgraphNode *dependencies,
					       size_t count, unsigned flags)
{
	return sim_cuStreamUpdateCaptureDependencies_v2(handle, dependencies,
							NULL, count, flags);
}
