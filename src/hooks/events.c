/* Events: what is recorded in a stream, and who waits for it. */
#include "call.h"
#include "hook.h"
#include "mem/mem.h"
#include "order/event_order.h"
#include "order/legacy.h"
#include "order/streams.h"

/* Nothing depends on the order of events unless stream-ordered memory is
 * served. */
static void record_begin(struct event_record *record, CUevent event,
			 CUstream stream, bool per_thread)
{
	legacy_settle_for(stream, per_thread);
	if (mem_serves_streams())
		event_record_begin(record, event, stream, per_thread);
	else
		*record = (struct event_record){.event = NULL};
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
	struct event_record record;
	CUresult res;

	record_begin(&record, event, stream, false);
	res = ROOM_CALL(cuEventRecord, event, stream);
	event_record_end(&record, (int)res);
	return res;
}

EXPORT CUresult cuEventRecord_ptsz(CUevent event, CUstream stream)
{
	struct event_record record;
	CUresult res;

	record_begin(&record, event, stream, true);
	res = ROOM_CALL(cuEventRecord_ptsz, event, stream);
	event_record_end(&record, (int)res);
	return res;
}

/* With a flag the record is a node of a graph, which records the event each
 * time it is launched. */
EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream,
				       unsigned int flags)
{
	struct event_record record;
	CUresult res;

	if (flags)
		events_opaque();
	record_begin(&record, event, stream, false);
	res = ROOM_CALL(cuEventRecordWithFlags, event, stream, flags);
	event_record_end(&record, (int)res);
	return res;
}

EXPORT CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream,
					    unsigned int flags)
{
	struct event_record record;
	CUresult res;

	if (flags)
		events_opaque();
	record_begin(&record, event, stream, true);
	res = ROOM_CALL(cuEventRecordWithFlags_ptsz, event, stream, flags);
	event_record_end(&record, (int)res);
	return res;
}

/* A thread's own stream that waits holds up the legacy one, as with work. */
static void stream_noted(CUstream stream, bool per_thread)
{
	legacy_settle_for(stream, per_thread);
	if (stream == CU_STREAM_PER_THREAD || (per_thread && !stream))
		stream_per_thread_used();
}

/* What waits for the legacy stream waits for the event as well. */
static void wait_ended(const struct event_wait *wait, CUstream stream,
		       bool per_thread)
{
	if (stream == CU_STREAM_LEGACY || (!stream && !per_thread))
		legacy_worked();
	event_wait_end(wait, stream, per_thread);
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event,
				  unsigned int flags)
{
	struct event_wait wait;
	CUresult res;

	stream_noted(stream, false);
	event_wait_begin(&wait, event);
	res = ROOM_CALL(cuStreamWaitEvent, stream, event, flags);
	if (!res)
		wait_ended(&wait, stream, false);
	return res;
}

EXPORT CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event,
				       unsigned int flags)
{
	struct event_wait wait;
	CUresult res;

	stream_noted(stream, true);
	event_wait_begin(&wait, event);
	res = ROOM_CALL(cuStreamWaitEvent_ptsz, stream, event, flags);
	if (!res)
		wait_ended(&wait, stream, true);
	return res;
}

/* cuEventSynchronize and cuEventQuery. */
static CUresult event_hook_sync(__typeof__(cuEventQuery) *real, CUevent event)
{
	struct event_wait wait;
	CUresult res;

	if (!real)
		return CUDA_ERROR_NOT_FOUND;
	event_wait_begin(&wait, event);
	res = real(event);
	if (!res)
		event_sync_end(&wait);
	return res;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
	CUresult res = event_hook_sync(REAL_ENTRY(cuEventSynchronize), event);

	if (!res)
		mem_waited();
	return res;
}

EXPORT CUresult cuEventQuery(CUevent event)
{
	return event_hook_sync(REAL_ENTRY(cuEventQuery), event);
}

EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
	event_forget(event);
	return REAL_CALL(cuEventDestroy_v2, event);
}

EXPORT CUresult cuEventDestroy(CUevent event)
{
	event_forget(event);
	return REAL_CALL(cuEventDestroy, event);
}

EXPORT CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
	events_opaque();
	return ROOM_CALL(cuCtxRecordEvent, context, event);
}

EXPORT CUresult cuGreenCtxRecordEvent(CUgreenCtx context, CUevent event)
{
	events_opaque();
	return ROOM_CALL(cuGreenCtxRecordEvent, context, event);
}

EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	events_opaque();
	return REAL_CALL(cuIpcGetEventHandle, handle, event);
}

EXPORT CUresult cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
	events_opaque();
	return ROOM_CALL(cuIpcOpenEventHandle, event, handle);
}

EXPORT CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
					  const CUgraphNode *before,
					  size_t count, CUevent event)
{
	events_opaque();
	return ROOM_CALL(cuGraphAddEventRecordNode, node, graph, before, count,
			 event);
}

EXPORT CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
	events_opaque();
	return ROOM_CALL(cuGraphEventRecordNodeSetEvent, node, event);
}

EXPORT CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec,
						   CUgraphNode node,
						   CUevent event)
{
	events_opaque();
	return ROOM_CALL(cuGraphExecEventRecordNodeSetEvent, exec, node, event);
}
