/* Races about the legacy stream and those that wait for it. */
#include <stdlib.h>

#include "race_ordered.h"
#include "schedule.h"

static CUstream waits[2], capturing;
static CUdeviceptr kept; /* asked for before the race */
static CUdeviceptr marked_addr;
static atomic_bool others_made, warm;

static void waits_made(void)
{
	for (int i = 0; i < 2; i++)
		DO(cuStreamCreate, &waits[i], CU_STREAM_DEFAULT);
}

/* All streams have a number, and nobody else has blocks. */
static void before_marks_cached(void)
{
	before_cached();
	waits_made();
	for (int i = 0; i < 2; i++)
		freed(asked_and_filled(waits[i]), waits[i]);
	freed(asked(NULL), NULL);
	kept = asked(waits[0]);
}

static void before_marks(void)
{
	setenv("MNM_THREAD_CACHE", "0", 1);
	before_marks_cached();
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
	fill(addr, waits[0]);
	freed(addr, NULL);
	fill(asked(NULL), waits[1]);
}

static void others_made_then(void)
{
	begun_wait();
	waits_made();
	others_made = true;
}

static void before_blocking(void)
{
	before_any();
	freed(asked_and_filled(NULL), NULL);
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
	begun_wait();
	waits_made();
	fill(kept, waits[0]);
	freed(kept, NULL);
	fill(asked(NULL), waits[1]);
}

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

static void legacy_asks_held(void)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	addr = asked(NULL);
	race_pass();
	fill(addr, waits[1]);
}

/* The place that the request takes in the legacy stream may be before this. */
static void freed_in_another_then(void)
{
	begun_wait();
	fill(kept, waits[0]);
	freed(kept, waits[0]);
}

static void reuse_in_another(void)
{
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++)
		asked_and_filled(waits[1]);
}

/* The thread remembers the stream that it frees in. The call that fills may
 * have begun before a mark was due. */
static void freed_in_another_held(void)
{
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++)
		freed(asked(waits[0]), waits[0]);
	race_hold();
	begun = true;
	fill(kept, waits[0]);
	race_pass();
	freed(kept, waits[0]);
}

/* The mark that is due is set before the query. */
static void due_is_set_then(void)
{
	begun_wait();
	freed(asked(NULL), NULL);
	race_hold();
	race_api.cuStreamQuery(NULL);
	race_pass();
}

/* The legacy stream will wait for what was freed in another one. A stream that
 * waits for it was marked before. */
static void before_legacy_wait(void)
{
	before_record();
	DO(cuStreamCreate, &waits[0], CU_STREAM_DEFAULT);
	freed(asked(NULL), NULL);
	freed(asked_and_filled(waits[0]), waits[0]);
	fill(kept = asked(freeing), freeing);
	freed(kept, freeing);
	DO(cuEventRecord, event, freeing);
	freed(asked(waits[0]), waits[0]);
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

	begun_wait();
	for (int i = 0; i < REUSED; i++)
		addrs[i] = asked(waits[0]);
	DO(cuStreamSynchronize, waits[0]);
	for (int i = 0; i < REUSED; i++)
		fill(addrs[i], waiting);
}

static void marked_asks_held(void)
{
	DO(cuCtxSetCurrent, context);
	freed(asked(waits[0]), waits[0]);
	kept = asked(waits[0]);
	race_hold();
	begun = true;
	marked_addr = asked(waits[0]);
	race_pass();
}

static void legacy_waits_then(void)
{
	begun_wait();
	DO(cuStreamWaitEvent, NULL, event, 0);
}

static void marked_is_over(void)
{
	DO(cuCtxSetCurrent, context);
	DO(cuStreamSynchronize, waits[0]);
	fill(marked_addr, waiting);
}

/* A free in the legacy stream comes after work in those that wait for it. */
static void legacy_frees_held(void)
{
	DO(cuCtxSetCurrent, context);
	fill(kept, waits[0]);
	race_hold();
	begun = true;
	freed(kept, NULL);
	race_pass();
}

static void legacy_recorded_then(void)
{
	begun_wait();
	DO(cuEventRecord, event, NULL);
	DO(cuStreamWaitEvent, waiting, event, 0);
}

static void legacy_awaited_then(void)
{
	begun_wait();
	DO(cuStreamSynchronize, NULL);
}

static void before_asks(void)
{
	before_marks();
	fill(kept, waits[0]);
	freed(kept, waits[0]);
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
	begun_wait();
	DO(cuStreamBeginCapture_v2, capturing, CU_STREAM_CAPTURE_MODE_RELAXED);
}

static void used_in_another(void)
{
	DO(cuCtxSetCurrent, context);
	fill(marked_addr, waits[1]);
}

static CUfunction touch;

/* A mark is due, whose place work takes. */
static void before_work(void)
{
	static const char image[] = "touch";
	CUmodule module;
	CUdeviceptr addr;

	before_marks();
	DO(cuModuleLoadData, &module, image);
	DO(cuModuleGetFunction, &touch, module, "touch");
	marked_addr = asked(NULL);
	DO(cuMemAllocAsync, &addr, 16 * RACE_BLOCK, NULL);
}

static void legacy_works_held(void)
{
	uint32_t count = 1, value = 1;
	void *args[] = {&marked_addr, &count, &value};

	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	DO(cuLaunchKernel, touch, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
	race_pass();
}

/* The work may have been queued before the request. */
static void legacy_asks_and_uses_then(void)
{
	CUdeviceptr addr;

	begun_wait();
	fill(kept, waits[0]);
	freed(kept, waits[0]);
	addr = asked(NULL);
	race_hold();
	fill(addr, waits[1]);
	race_pass();
}

const struct race race_legacy[] = {
	{"request in the legacy stream beside one that waits", SERVED, 1, 0,
	 before_alone, legacy_held, others_made_then, NULL},
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
	{"free in the legacy stream beside a record in it", SERVED, 1, 0,
	 before_marks, legacy_frees_held, legacy_recorded_then, reuse},
	{"free in the legacy stream beside a wait for it", SERVED, 1, 0,
	 before_marks, legacy_frees_held, legacy_awaited_then, reuse},
	{"request in the legacy stream beside the start of a capture", SERVED,
	 1, 0, before_asks, legacy_asks_kept_held, capture_begins_then,
	 used_in_another},
	{"request in the legacy stream that is marked beside a free",
	 "MNM_SIM_FAIL", "cuEventRecord:3:906", 1, 0, before_marks,
	 legacy_asks_held, freed_in_another_then, reuse_in_another},
	{"free in a stream that waits beside a mark that is due", NULL, NULL, 1,
	 1, before_marks_cached, freed_in_another_held, due_is_set_then,
	 reuse_in_another},
	{"request in the legacy stream beside work in it", SERVED, 1, 1,
	 before_work, legacy_works_held, legacy_asks_and_uses_then, NULL},
	{0},
};
