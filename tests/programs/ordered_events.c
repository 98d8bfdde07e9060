#include <stdbool.h>
#include <stdio.h>

#include <cuda.h>

#include "ordered.h"

static void in_a_stream_behind_an_event(void)
{
	CUstream stream = apart(), between = apart(), other = apart();
	CUevent first = event_new(), second = event_new();
	CUdeviceptr block, next;

	mix();
	block = asked_and_used(stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(first, stream));
	MUST(cuStreamWaitEvent(between, first, 0));
	MUST(cuEventRecord(second, between));
	MUST(cuStreamWaitEvent(other, second, 0));
	next = asked(other);
	used(next, other);
	compare(next, block);
}

/* NCCL launches so. It changes nothing of the stream's order. */
static void behind_an_event_and_a_launch_of_a_domain(void)
{
	CUstream stream = apart();
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN};
	CUlaunchConfig config = {
		1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1,
	};

	attribute.value.memSyncDomain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	mix();
	if (!cuLaunchKernelEx(&config, NULL, NULL, NULL))
		puts("launched");
	in_a_stream_behind_an_event();
}

static void behind_an_event_of_before(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();

	mix();
	used(asked(stream), stream);
	MUST(cuEventRecord(event, stream));
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void behind_an_event_of_another_stream(void)
{
	CUstream stream = apart(), third = apart(), other = apart();
	CUevent event = event_new();

	mix();
	used(asked(third), third);
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuEventRecord(event, third));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void behind_a_new_event(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuEventDestroy(event));
	for (int i = 0; i < 8; i++)
		MUST(cuStreamWaitEvent(other, event_new(), 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

static void behind_an_event_of_a_context(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuCtxRecordEvent(context, event));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

/* These calls may make events be recorded in another way. The simulated driver
 * refuses some of them. */
static void record_by_a_node(CUevent event)
{
	CUgraphNode node;
	CUgraph graph;

	MUST(cuGraphCreate(&graph, 0));
	cuGraphAddEventRecordNode(&node, graph, NULL, 0, event);
}

static void record_by_an_added_node(CUevent event)
{
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD};
	CUgraphNode node;
	CUgraph graph;

	params.eventRecord.event = event;
	MUST(cuGraphCreate(&graph, 0));
	cuGraphAddNode(&node, graph, NULL, NULL, 0, &params);
}

static void record_by_a_launch(CUevent event)
{
	CUlaunchAttribute attribute = {
		.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
	CUlaunchConfig config = {
		.hStream = apart(), .attrs = &attribute, .numAttrs = 1};

	attribute.value.launchCompletionEvent.event = event;
	cuLaunchKernelEx(&config, NULL, NULL, NULL);
}

static void record_by_a_process(CUevent event)
{
	CUipcEventHandle handle;

	cuIpcGetEventHandle(&handle, event);
}

static void record_by_context(CUevent event)
{
	cuCtxRecordEvent(context, event);
}

static void behind_events_that_are_recorded_by(void (*other_way)(CUevent))
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();

	mix();
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	other_way(event_new());
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamWaitEvent(other, event, 0));
	used(asked(other), other);
	puts("used");
}
#define RECORDED(how) \
	static void behind_events_recorded_##how(void) \
	{ \
		behind_events_that_are_recorded_by(record_##how); \
	}
RECORDED(by_a_node)
RECORDED(by_an_added_node)
RECORDED(by_a_launch)
RECORDED(by_a_process)
RECORDED(by_context)

/* Before any memory is asked for in a stream's order, records are not
 * followed. Those that come later are. */
static void behind_an_event_after_another_of_before(void)
{
	MUST(cuEventRecord(event_new(), apart()));
	in_a_stream_behind_an_event();
}

enum {
	STREAMS = 12,
	CONTEXTS = 150, /* with two streams each, more than there are numbers */
};

/* These have nothing to do with the event. */
static void behind_an_event_beside_many_streams(void)
{
	for (int i = 0; i < STREAMS; i++)
		asked(apart());
	in_a_stream_behind_an_event();
}

/* These all come before it, which is more than is noted of an event. */
static void behind_an_event_of_many_streams(void)
{
	CUstream collector = apart(), other = apart();
	CUdeviceptr blocks[STREAMS];
	CUevent event = event_new();
	CUstream streams[STREAMS];

	mix();
	for (int i = 0; i < STREAMS; i++) {
		streams[i] = apart();
		blocks[i] = asked_and_used(streams[i]);
	}
	for (int i = 0; i < STREAMS; i++) {
		MUST(cuMemFreeAsync(over(blocks[i]), streams[i]));
		MUST(cuEventRecord(event, streams[i]));
		MUST(cuStreamWaitEvent(collector, event, 0));
	}
	MUST(cuEventRecord(event, collector));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < STREAMS; i++)
		used(asked(other), other);
	puts("used");
}

/* Streams end with their context, and those of the next one get their
 * handles. */
static void behind_an_event_of_a_later_context(void)
{
	for (int i = 0; i < CONTEXTS; i++) {
		for (int k = 0; k < 2; k++)
			over(asked(apart()));
		MUST(cuDevicePrimaryCtxRelease(0));
		context = device_entered(0);
	}
	in_a_stream_behind_an_event();
}

/* What was freed in a stream, and then what was freed by the plain call. */
static void after_a_wait_for_the_context(void)
{
	CUstream stream = apart(), other = apart();
	CUdeviceptr block = asked(stream), next;

	mix();
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuCtxSynchronize());
	next = asked(other);
	used(next, other);
	compare(next, block);
	MUST(cuMemFree(over(next)));
	MUST(cuCtxSynchronize());
	next = asked(stream);
	used(next, stream);
	compare(next, block);
}

static void after_a_wait_for_an_event(void)
{
	CUstream stream = apart(), other = apart();
	CUevent event = event_new();
	CUdeviceptr block, next;

	mix();
	block = asked(stream);
	used(block, stream);
	MUST(cuMemFreeAsync(over(block), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuEventSynchronize(event));
	next = asked(other);
	used(next, other);
	compare(next, block);
}

/* While another stream captures, records are not followed. */
static void behind_an_event_recorded_during_a_capture(void)
{
	CUstream stream = apart(), third = apart(), other = apart();
	CUstream capturing = apart();
	CUevent event = event_new();
	CUgraph graph;

	mix();
	used(asked(third), third);
	MUST(cuMemFreeAsync(over(asked_and_used(stream)), stream));
	MUST(cuEventRecord(event, stream));
	MUST(cuStreamBeginCapture(capturing, CU_STREAM_CAPTURE_MODE_RELAXED));
	MUST(cuEventRecord(event, third));
	MUST(cuStreamEndCapture(capturing, &graph));
	MUST(cuGraphDestroy(graph));
	MUST(cuStreamWaitEvent(other, event, 0));
	for (int i = 0; i < 4; i++)
		used(asked(other), other);
	puts("used");
}

const struct ordered_case ordered_events[] = {
	CASE(in_a_stream_behind_an_event),
	CASE(behind_an_event_and_a_launch_of_a_domain),
	CASE(behind_an_event_of_before),
	CASE(behind_an_event_of_another_stream),
	CASE(behind_a_new_event),
	CASE(behind_an_event_of_a_context),
	CASE(behind_events_recorded_by_a_node),
	CASE(behind_events_recorded_by_an_added_node),
	CASE(behind_events_recorded_by_a_launch),
	CASE(behind_events_recorded_by_a_process),
	CASE(behind_events_recorded_by_context),
	CASE(behind_an_event_after_another_of_before),
	CASE(behind_an_event_beside_many_streams),
	CASE(behind_an_event_of_many_streams),
	CASE(behind_an_event_of_a_later_context),
	CASE(after_a_wait_for_an_event),
	CASE(after_a_wait_for_the_context),
	CASE(behind_an_event_recorded_during_a_capture),
	{0},
};
