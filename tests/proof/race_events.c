/* Races about events that several threads record and wait for, where both
 * threads are left, or the host waits. */
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
	DO(cuMemsetD32Async, addr, 1, RACE_BLOCK / 4, stream);
	return addr;
}

static void freed(CUdeviceptr addr, CUstream stream)
{
	if (race_api.sim_disown)
		race_api.sim_disown(addr);
	DO(cuMemFreeAsync, addr, stream);
}

static CUstream stream_new(void)
{
	CUstream stream = NULL;

	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	return stream;
}

/* No stream has a number yet. */
static void before_any(void)
{
	setenv("MNM_THREAD_CACHE", "0", 1);
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	freeing = stream_new();
	recording = stream_new();
	waiting = stream_new();
	DO(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
}

/* The event stands behind what was freed in the first stream. */
static void before(void)
{
	CUdeviceptr first, second;

	before_any();
	first = asked(freeing);
	second = asked(recording);
	asked(waiting);
	freed(first, freeing);
	freed(second, recording);
	DO(cuEventRecord, event, freeing);
}

static void begun_wait(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
}

static void wait_held(void)
{
	race_hold();
	begun = true;
	DO(cuStreamWaitEvent, waiting, event, 0);
	race_pass();
}

static void host_wait_held(void)
{
	race_hold();
	begun = true;
	DO(cuEventSynchronize, event);
	race_pass();
}

static void record_held(void)
{
	begun_wait();
	race_hold();
	DO(cuEventRecord, event, recording);
	race_pass();
}

/* Whichever record was waited for, the stream may not take what the other one
 * stands behind. */
static void reuse(void)
{
	for (int i = 0; i < REUSED; i++)
		asked(waiting);
}

static void wait_and_reuse(void)
{
	DO(cuStreamWaitEvent, waiting, event, 0);
	reuse();
}

static void record_too_held(void)
{
	race_hold();
	begun = true;
	DO(cuEventRecord, event, freeing);
	race_pass();
}

static long fences(void)
{
	char answer[8192];

	control_ask("stat", answer, sizeof(answer));
	return control_figure(answer, "fences");
}

/* Once nobody else records the event, its order is relied on again. */
static void record_and_reuse(void)
{
	long before_it;

	DO(cuEventRecord, event, freeing);
	DO(cuStreamWaitEvent, waiting, event, 0);
	before_it = fences();
	asked(waiting);
	race_expect("fences", fences(), before_it);
}

/* The first record is not followed. While it is under way, the other thread's
 * begins, which is not followed either. So when this thread records the event
 * once more, nobody knows which is the last. */
static void records_held(void)
{
	race_hold();
	begun = true;
	DO(cuEventRecord, event, waiting);
	race_pass();
	freed(asked(freeing), freeing);
	DO(cuEventRecord, event, freeing);
}

static void free_and_record_held(void)
{
	begun_wait();
	freed(asked(recording), recording);
	race_hold();
	DO(cuEventRecord, event, recording);
	race_pass();
}

#define SERVED "MNM_STREAM_ORDERED", "1"
const struct race race_events[] = {
	{"wait beside an event that is being recorded", SERVED, 1, 1, before,
	 wait_held, record_held, reuse},
	{"host's wait beside an event recorded anew", SERVED, 1, 0, before,
	 host_wait_held, record_held, reuse},
	{"event recorded by two threads, and then by one", SERVED, 1, 0, before,
	 record_too_held, record_held, record_and_reuse},
	{"records from before the first free in a stream", SERVED, 1, 1,
	 before_any, records_held, free_and_record_held, wait_and_reuse},
	{0},
};
