/* Races about the order of streams that memory is freed in. */
#include <stdatomic.h>
#include <stdlib.h>

#include "control.h"
#include "race.h"
#include "schedule.h"

enum { REUSED = 4 }; /* blocks that are asked for after the race */

static CUcontext context;
static CUstream freeing, recording, waiting;
static CUevent event;
static atomic_bool begun;

static CUdeviceptr asked(CUstream stream)
{
	CUdeviceptr addr = 0;

	DO(cuMemAllocAsync, &addr, RACE_BLOCK, stream);
	if (race_api.sim_own)
		race_api.sim_own(addr, RACE_BLOCK, "a race's");
	return addr;
}

static void freed(CUdeviceptr addr, CUstream stream)
{
	if (race_api.sim_disown)
		race_api.sim_disown(addr);
	DO(cuMemFreeAsync, addr, stream);
}

static void fill(CUdeviceptr addr, CUstream stream)
{
	DO(cuMemsetD32Async, addr, 1, RACE_BLOCK / 4, stream);
}

static CUstream stream_new(void)
{
	CUstream stream = NULL;

	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	return stream;
}

/* Each of three streams has a block of its own, which no thread keeps to itself
 * once it is freed. The event stands behind what was freed in the first. */
static void before(void)
{
	CUdeviceptr first, second;

	setenv("MNM_THREAD_CACHE", "0", 1);
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	freeing = stream_new();
	recording = stream_new();
	waiting = stream_new();
	first = asked(freeing);
	second = asked(recording);
	asked(waiting);
	fill(first, freeing);
	freed(first, freeing);
	fill(second, recording);
	freed(second, recording);
	DO(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
	DO(cuEventRecord, event, freeing);
}

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
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
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
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuEventRecord, event, recording);
}

static void record_too(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuEventRecord, event, freeing);
}

/* Whichever record the stream waits for, it may not take what the other one
 * stands behind. */
static void reuse(void)
{
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++)
		fill(asked(waiting), waiting);
}

static void wait_and_reuse(void)
{
	DO(cuCtxSetCurrent, context);
	DO(cuStreamWaitEvent, waiting, event, 0);
	reuse();
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
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuEventRecord, event, recording);
	DO(cuStreamWaitEvent, waiting, event, 0);
}

static void ends_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuStreamDestroy_v2, freeing);
	freeing = stream_new();
	fill(asked(freeing), freeing);
}

static void request_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	fill(asked(waiting), waiting);
	race_pass();
}

static CUstream blocking[2];
static atomic_bool others_made;

static void before_alone(void)
{
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
}

/* The first request in the legacy stream is that of a stream that is alone.
 * Once others wait for it, a request in it comes after all their work. */
static void legacy_held(void)
{
	CUdeviceptr addr;
	CUstream ended;

	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < 4; i++)
		freed(asked(NULL), NULL);
	/* The thread's cache has the block; with this it forgets the stream. */
	ended = stream_new();
	DO(cuMemAllocAsync, &addr, 16 * RACE_BLOCK, ended);
	freed(addr, ended);
	DO(cuStreamDestroy_v2, ended);
	race_hold();
	begun = true;
	addr = asked(NULL);
	race_pass();
	while (!others_made)
		schedule_yield();
	fill(addr, blocking[0]);
	freed(addr, NULL);
	fill(asked(NULL), blocking[1]);
}

static void others_made_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < 2; i++)
		DO(cuStreamCreate, &blocking[i], CU_STREAM_DEFAULT);
	others_made = true;
}

static CUstream capturing, made[2];
static CUdeviceptr kept; /* asked for before the race */

/* No stream has a number yet. */
static void before_cached(void)
{
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	freeing = stream_new();
	recording = stream_new();
	waiting = stream_new();
	DO(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
}

static void before_any(void)
{
	setenv("MNM_THREAD_CACHE", "0", 1);
	before_cached();
}

static void free_and_record_then(void)
{
	CUdeviceptr addr;

	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	addr = asked(freeing);
	fill(addr, freeing);
	freed(addr, freeing);
	DO(cuEventRecord, event, freeing);
}

static void before_capture(void)
{
	before();
	kept = asked(freeing);
	capturing = stream_new();
	DO(cuStreamBeginCapture_v2, capturing, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static void capture_ends_then(void)
{
	CUgraph graph;

	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuStreamEndCapture, capturing, &graph);
	fill(kept, freeing);
	freed(kept, freeing);
	DO(cuEventRecord, event, freeing);
}

static void before_blocking(void)
{
	CUdeviceptr addr;

	before_any();
	addr = asked(NULL);
	fill(addr, NULL);
	freed(addr, NULL);
	kept = asked(NULL);
}

static void blocking_held(void)
{
	CUstream stream;

	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	DO(cuStreamCreate, &stream, CU_STREAM_DEFAULT);
	race_pass();
}

/* From the first such stream on, a free in the legacy stream says nothing of
 * work in others. */
static void blocking_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuStreamCreate, &made[0], CU_STREAM_DEFAULT);
	DO(cuStreamCreate, &made[1], CU_STREAM_DEFAULT);
	fill(kept, made[0]);
	freed(kept, NULL);
	fill(asked(NULL), made[1]);
}

static atomic_bool warm;

static void blocking_held_when_warm(void)
{
	while (!warm)
		schedule_yield();
	blocking_held();
}

/* The same by a thread that remembers the legacy stream, and makes no marks as
 * long as it does. */
static void blocking_then_remembered(void)
{
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++)
		freed(asked(NULL), NULL);
	kept = asked(NULL);
	warm = true;
	blocking_then();
}

/* Streams that wait for the legacy one, each with a number. */
static void before_marks(void)
{
	CUdeviceptr addr;

	before_any();
	DO(cuStreamCreate, &made[0], CU_STREAM_DEFAULT);
	DO(cuStreamCreate, &made[1], CU_STREAM_DEFAULT);
	for (int i = 0; i < 2; i++) {
		addr = asked(made[i]);
		fill(addr, made[i]);
		freed(addr, made[i]);
	}
	freed(asked(NULL), NULL);
	kept = asked(made[0]);
}

static void legacy_asks_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	asked(NULL);
	race_pass();
}

/* The place that the request takes in the legacy stream may be before this. */
static void freed_in_another_then(void)
{
	DO(cuCtxSetCurrent, context);
	fill(kept, made[0]);
	freed(kept, made[0]);
}

static void reuse_in_another(void)
{
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++)
		fill(asked(made[1]), made[1]);
}

/* The legacy stream will wait for what was freed in another one. A stream that
 * waits for it was marked before. */
static void before_legacy_wait(void)
{
	CUdeviceptr addr;

	before();
	DO(cuStreamCreate, &made[0], CU_STREAM_DEFAULT);
	freed(asked(NULL), NULL);
	addr = asked(made[0]);
	fill(addr, made[0]);
	freed(addr, made[0]);
	fill(kept = asked(freeing), freeing);
	freed(kept, freeing);
	DO(cuEventRecord, event, freeing);
	freed(asked(made[0]), made[0]);
}

static void legacy_wait_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	DO(cuStreamWaitEvent, NULL, event, 0);
	race_pass();
}

/* Who waits for that stream comes after what it was given. */
static void marked_asks(void)
{
	CUdeviceptr addrs[REUSED];

	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++)
		addrs[i] = asked(made[0]);
	DO(cuStreamSynchronize, made[0]);
	for (int i = 0; i < REUSED; i++)
		fill(addrs[i], waiting);
}

static CUdeviceptr marked_addr;

static void marked_asks_held(void)
{
	DO(cuCtxSetCurrent, context);
	freed(asked(made[0]), made[0]);
	kept = asked(made[0]);
	race_hold();
	begun = true;
	marked_addr = asked(made[0]);
	race_pass();
}

static void legacy_waits_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuStreamWaitEvent, NULL, event, 0);
}

static void marked_is_over(void)
{
	DO(cuCtxSetCurrent, context);
	DO(cuStreamSynchronize, made[0]);
	fill(marked_addr, waiting);
}

/* A free in the legacy stream comes after work in those that wait for it. */
static void legacy_frees_held(void)
{
	DO(cuCtxSetCurrent, context);
	fill(kept, made[0]);
	race_hold();
	begun = true;
	freed(kept, NULL);
	race_pass();
}

static void legacy_recorded_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuEventRecord, event, NULL);
	DO(cuStreamWaitEvent, waiting, event, 0);
}

static void legacy_awaited_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuStreamSynchronize, NULL);
}

static void before_asks(void)
{
	before_marks();
	fill(kept, made[0]);
	freed(kept, made[0]);
	capturing = stream_new();
}

static void legacy_asks_kept_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	marked_addr = asked(NULL);
	race_pass();
}

static void capture_begins_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	DO(cuStreamBeginCapture_v2, capturing, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static void used_in_another(void)
{
	DO(cuCtxSetCurrent, context);
	fill(marked_addr, made[1]);
}

/* What may be reused in any stream at level none may not be afterwards. */
static void before_level(void)
{
	char answer[1024];
	CUdeviceptr addr;

	setenv("MNM_FORCE", "1", 1);
	before_any();
	DO(cuMemAllocAsync, &kept, 2 * RACE_BLOCK, waiting);
	control_ask("set fence none", answer, sizeof(answer));
	addr = asked(freeing);
	fill(addr, freeing);
	freed(addr, freeing);
	DO(cuStreamDestroy_v2, freeing);
	freeing = stream_new();
	DO(cuMemAllocAsync, &kept, 2 * RACE_BLOCK, freeing);
	control_ask("set fence fence", answer, sizeof(answer));
}

static void freeing_asks(void)
{
	DO(cuCtxSetCurrent, context);
	fill(asked(freeing), freeing);
}

static void waiting_asks(void)
{
	DO(cuCtxSetCurrent, context);
	fill(asked(waiting), waiting);
}

#define SERVED "MNM_STREAM_ORDERED", "1"
const struct race race_streams[] = {
	{"event recorded anew beside a wait", SERVED, 1, 0, before, record_held,
	 wait_then, reuse},
	{"wait beside an event recorded anew", SERVED, 1, 0, before, wait_held,
	 record_then, reuse},
	{"event recorded by two threads", SERVED, 1, 0, before, record_held,
	 record_too, wait_and_reuse},
	{"free in a stream beside a record", SERVED, 1, 0, before, free_held,
	 record_and_wait_then, reuse},
	{"request in a stream beside another's end", SERVED, 1, 0, before,
	 request_held, ends_then, reuse},
	{"request in the legacy stream beside one that waits", SERVED, 1, 0,
	 before_alone, legacy_held, others_made_then, NULL},
	{"record from before the first free in a stream", SERVED, 1, 0,
	 before_any, record_held, free_and_record_then, wait_and_reuse},
	{"record from within a capture that ends", SERVED, 1, 0, before_capture,
	 record_held, capture_ends_then, wait_and_reuse},
	{"blocking stream made beside another", SERVED, 1, 0, before_blocking,
	 blocking_held, blocking_then, NULL},
	{"blocking stream made beside a thread that remembers", SERVED, 1, 0,
	 before_cached, blocking_held_when_warm, blocking_then_remembered,
	 NULL},
	{"request in the legacy stream beside a free in another", SERVED, 1, 0,
	 before_marks, legacy_asks_held, freed_in_another_then,
	 reuse_in_another},
	{"wait of the legacy stream beside a request in one that waits", SERVED,
	 1, 0, before_legacy_wait, legacy_wait_held, marked_asks, NULL},
	{"request in one that waits beside a wait of the legacy stream", SERVED,
	 1, 0, before_legacy_wait, marked_asks_held, legacy_waits_then,
	 marked_is_over},
	{"requests in streams after level none", SERVED, 1, 0, before_level,
	 freeing_asks, waiting_asks, NULL},
	{"free in the legacy stream beside a record in it", SERVED, 1, 0,
	 before_marks, legacy_frees_held, legacy_recorded_then, reuse},
	{"free in the legacy stream beside a wait for it", SERVED, 1, 0,
	 before_marks, legacy_frees_held, legacy_awaited_then, reuse},
	{"request in the legacy stream beside the start of a capture", SERVED,
	 1, 0, before_asks, legacy_asks_kept_held, capture_begins_then,
	 used_in_another},
	{0},
};
