/* Calls that begin or end captures of streams. */
#include "call.h"
#include "order/capture.h"
#include "order/capture_work.h"
#include "order/legacy.h"
#include "context/context.h"
#include "heap/graph_owner.h"
#include "hook.h"
#include "preload/serving.h"
#include "mem/mem.h"
#include "order/stream_order.h"
#include "order/streams.h"
#include "stats/mempool_stats.h"

/* A call that begins a capture. */
struct begin {
	CUstream stream;
	struct capture_place place;
	bool per_thread;
	bool expected; /* capture_expect was called for it */
};

static CUcontext context_of(CUstream stream)
{
	CUcontext context = NULL;

	if (REAL_CALL(cuStreamGetCtx, stream, &context))
		REAL_CALL(cuCtxGetCurrent, &context);
	return context;
}

/* A green context is a part of a device's primary context, and ends with it. */
static struct capture_place place_of(CUstream stream, bool into)
{
	CUcontext context = context_of(stream);
	const struct context *whole = context_find(context);

	return (struct capture_place){context, whole ? whole->handle : context,
				      into};
}

static struct begin capture_hook_expect(CUstream stream, bool per_thread,
					bool into)
{
	struct begin begin = {.stream = stream, .per_thread = per_thread};

	if (!mem_enabled())
		return begin;
	begin.place = place_of(stream, into);
	serving_guard_fork();
	if (mempools_are_used())
		capture_work_watch();
	capture_expect();
	legacy_settle_late(); /* marks of requests that began before */
	begin.expected = true;
	return begin;
}

/* Notes how the call went. */
static CUresult capture_hook_settle(const struct begin *begin, CUresult res)
{
	if (begin->expected && res)
		capture_refused();
	else if (begin->expected)
		capture_begun(begin->stream, begin->per_thread, begin->place);
	return res;
}

EXPORT CUresult cuStreamBeginCapture(CUstream stream)
{
	struct begin begin = capture_hook_expect(stream, false, false);

	return capture_hook_settle(&begin,
				   REAL_CALL(cuStreamBeginCapture, stream));
}

EXPORT CUresult cuStreamBeginCapture_ptsz(CUstream stream)
{
	struct begin begin = capture_hook_expect(stream, true, false);

	return capture_hook_settle(
		&begin, REAL_CALL(cuStreamBeginCapture_ptsz, stream));
}

EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream,
					CUstreamCaptureMode mode)
{
	struct begin begin = capture_hook_expect(stream, false, false);

	return capture_hook_settle(
		&begin, REAL_CALL(cuStreamBeginCapture_v2, stream, mode));
}

EXPORT CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream,
					     CUstreamCaptureMode mode)
{
	struct begin begin = capture_hook_expect(stream, true, false);

	return capture_hook_settle(
		&begin, REAL_CALL(cuStreamBeginCapture_v2_ptsz, stream, mode));
}

EXPORT CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
					    const CUgraphNode *nodes,
					    const CUgraphEdgeData *data,
					    size_t count,
					    CUstreamCaptureMode mode)
{
	struct begin begin = capture_hook_expect(stream, false, true);

	return capture_hook_settle(
		&begin, REAL_CALL(cuStreamBeginCaptureToGraph, stream, graph,
				  nodes, data, count, mode));
}

EXPORT CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph,
						 const CUgraphNode *nodes,
						 const CUgraphEdgeData *data,
						 size_t count,
						 CUstreamCaptureMode mode)
{
	struct begin begin = capture_hook_expect(stream, true, true);

	return capture_hook_settle(
		&begin, REAL_CALL(cuStreamBeginCaptureToGraph_ptsz, stream,
				  graph, nodes, data, count, mode));
}

typedef CUresult is_capturing(CUstream stream, CUstreamCaptureStatus *status);

/* A call that failed may have ended the capture all the same, so the stream is
 * asked. An end by the wrong thread, for example, leaves the capture on. */
static CUresult capture_hook_finish(CUstream stream, bool per_thread,
				    const CUgraph *graph, is_capturing *ask,
				    CUresult res)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUcontext context;

	if (!mem_enabled())
		return res;
	if (res && ask && ask(stream, &status))
		status = CU_STREAM_CAPTURE_STATUS_NONE;
	if (status != CU_STREAM_CAPTURE_STATUS_NONE)
		return res;
	context = context_of(stream);
	if (!res && graph && capture_makes_graph(stream, per_thread, context))
		graph_is_new(*graph);
	capture_ended(stream, per_thread, context,
		      !res && graph ? (CUgraph)graph_root(*graph) : NULL);
	return res;
}

EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	return capture_hook_finish(
		stream, false, graph, REAL_ENTRY(cuStreamIsCapturing),
		REAL_CALL(cuStreamEndCapture, stream, graph));
}

EXPORT CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph *graph)
{
	return capture_hook_finish(
		stream, true, graph, REAL_ENTRY(cuStreamIsCapturing_ptsz),
		REAL_CALL(cuStreamEndCapture_ptsz, stream, graph));
}

/* A capture ends with its stream. */
static CUresult capture_hook_destroyed(CUstream stream, CUresult res)
{
	if (!res && mem_enabled() && capture_any())
		capture_ended(stream, false, NULL, NULL);
	return res;
}

EXPORT CUresult cuStreamDestroy(CUstream stream)
{
	stream_order_stream_ended(stream);
	stream_ends(stream);
	return capture_hook_destroyed(stream,
				      REAL_CALL(cuStreamDestroy, stream));
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
	stream_order_stream_ended(stream);
	stream_ends(stream);
	return capture_hook_destroyed(stream,
				      REAL_CALL(cuStreamDestroy_v2, stream));
}
