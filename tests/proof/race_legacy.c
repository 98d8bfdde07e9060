/* Races about the legacy stream and those that wait for it. */
#include <stdatomic.h>
#include <stdlib.h>

#include "race.h"
#include "schedule.h"

enum { REUSED = 4 }; /* blocks that are asked for after the race */

static CUcontext context;
static CUstream waits[2]; /* for the legacy stream */
static CUdeviceptr kept;  /* asked for before the race */
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

static void await_begin(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
}

/* All streams have a number, and nobody else has blocks. */
static void before_marks(void)
{
	CUdeviceptr addr;

	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < 2; i++)
		DO(cuStreamCreate, &waits[i], CU_STREAM_DEFAULT);
	for (int i = 0; i < 2; i++) {
		addr = asked(waits[i]);
		fill(addr, waits[i]);
		freed(addr, waits[i]);
	}
	freed(asked(NULL), NULL);
	kept = asked(waits[0]);
}

/* The first mark of the legacy stream is refused, after one in each other
 * stream. So each request and free there sets its mark at once. */
static void before_marks_at_once(void)
{
	setenv("MNM_THREAD_CACHE", "0", 1);
	before_marks();
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
	await_begin();
	fill(kept, waits[0]);
	freed(kept, waits[0]);
}

static void reuse_in_another(void)
{
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++)
		fill(asked(waits[1]), waits[1]);
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
	await_begin();
	freed(asked(NULL), NULL);
	race_hold();
	race_api.cuStreamQuery(NULL);
	race_pass();
}

const struct race race_legacy[] = {
	{"request in the legacy stream that is marked beside a free",
	 "MNM_SIM_FAIL", "cuEventRecord:3:906", 1, 0, before_marks_at_once,
	 legacy_asks_held, freed_in_another_then, reuse_in_another},
	{"free in a stream that waits beside a mark that is due", NULL, NULL, 1,
	 1, before_marks, freed_in_another_held, due_is_set_then,
	 reuse_in_another},
	{0},
};
