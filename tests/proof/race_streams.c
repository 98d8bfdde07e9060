/* Races about the order of streams that memory is freed in. */
#include "control.h"
#include "race_ordered.h"

static CUstream capturing;
static CUdeviceptr kept; /* asked for before the race */

static void record_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	DO(cuEventRecord, event, recording);
	race_pass();
}

static void wait_then(void)
{
	begun_wait();
	DO(cuStreamWaitEvent, waiting, event, 0);
}

static void wait_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	DO(cuStreamWaitEvent, waiting, event, 0);
	race_pass();
}

static void record_then(void)
{
	begun_wait();
	DO(cuEventRecord, event, recording);
}

static void record_too(void)
{
	begun_wait();
	DO(cuEventRecord, event, freeing);
}

static void free_held(void)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, context);
	addr = asked(recording);
	race_hold();
	begun = true;
	fill(addr, recording);
	freed(addr, recording);
	race_pass();
}

/* Work and a free that are under way while the event is recorded may come after
 * it. */
static void record_and_wait_then(void)
{
	begun_wait();
	DO(cuEventRecord, event, recording);
	DO(cuStreamWaitEvent, waiting, event, 0);
}

static void ends_then(void)
{
	begun_wait();
	DO(cuStreamDestroy_v2, freeing);
	freeing = stream_new();
	asked_and_filled(freeing);
}

static void request_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	asked_and_filled(waiting);
	race_pass();
}

static void free_and_record_then(void)
{
	begun_wait();
	freed(asked_and_filled(freeing), freeing);
	DO(cuEventRecord, event, freeing);
}

static void before_capture(void)
{
	before_record();
	kept = asked(freeing);
	capturing = stream_new();
	DO(cuStreamBeginCapture_v2, capturing, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static void capture_ends_then(void)
{
	CUgraph graph;

	begun_wait();
	DO(cuStreamEndCapture, capturing, &graph);
	fill(kept, freeing);
	freed(kept, freeing);
	DO(cuEventRecord, event, freeing);
}

/* What may be reused in any stream at level none may not be afterwards. */
static void before_level(void)
{
	char answer[1024];
	setenv("MNM_FORCE", "1", 1);
	before_any();
	DO(cuMemAllocAsync, &kept, 2 * RACE_BLOCK, waiting);
	control_ask("set fence none", answer, sizeof(answer));
	freed(asked_and_filled(freeing), freeing);
	DO(cuStreamDestroy_v2, freeing);
	freeing = stream_new();
	DO(cuMemAllocAsync, &kept, 2 * RACE_BLOCK, freeing);
	control_ask("set fence fence", answer, sizeof(answer));
}

static void freeing_asks(void)
{
	DO(cuCtxSetCurrent, context);
	asked_and_filled(freeing);
}

static void waiting_asks(void)
{
	DO(cuCtxSetCurrent, context);
	asked_and_filled(waiting);
}

const struct race race_streams[] = {
	{"event recorded anew beside a wait", SERVED, 1, 0, before_record,
	 record_held, wait_then, reuse},
	{"wait beside an event recorded anew", SERVED, 1, 0, before_record,
	 wait_held, record_then, reuse},
	{"event recorded by two threads", SERVED, 1, 0, before_record,
	 record_held, record_too, wait_and_reuse},
	{"free in a stream beside a record", SERVED, 1, 0, before_record,
	 free_held, record_and_wait_then, reuse},
	{"request in a stream beside another's end", SERVED, 1, 0,
	 before_record, request_held, ends_then, reuse},
	{"record from before the first free in a stream", SERVED, 1, 0,
	 before_any, record_held, free_and_record_then, wait_and_reuse},
	{"record from within a capture that ends", SERVED, 1, 0, before_capture,
	 record_held, capture_ends_then, wait_and_reuse},
	{"requests in streams after level none", SERVED, 1, 0, before_level,
	 freeing_asks, waiting_asks, NULL},
	{0},
};
