/* Races about the order of streams that memory is freed in. */
#include <stdatomic.h>
#include <stdlib.h>

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
static atomic_bool made;

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
	while (!made)
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
	made = true;
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
	{0},
};
