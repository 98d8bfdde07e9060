/* Races about the end of a context, which waits for other contexts' work. */
#include <stdatomic.h>

#include "race.h"
#include "schedule.h"

enum {
	/* Blocks, one of which is looked at before the late one. */
	EARLY = 7,
	FILLS = 8,
};

static CUcontext ending, fencing, working;
static CUstream stream;
static CUdeviceptr early[EARLY], late;
static atomic_bool begun;

static void block_new(CUdeviceptr *addr)
{
	DO(cuMemAlloc_v2, addr, RACE_BLOCK);
	if (race_api.sim_own)
		race_api.sim_own(*addr, RACE_BLOCK, "a race's");
}

static void block_free(CUdeviceptr addr)
{
	if (race_api.sim_disown)
		race_api.sim_disown(addr);
	DO(cuMemFree_v2, addr);
}

/* Blocks that another context's work has used are freed. Only the work on the
 * late one is not over. */
static void before(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &working, 0, 0);
	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	DO(cuCtxCreate_v2, &ending, 0, 0);
	block_new(&late);
	for (int i = 0; i < EARLY; i++)
		block_new(&early[i]);
	DO(cuMemsetD32Async, early[0], 1, RACE_BLOCK / 4, CU_STREAM_LEGACY);
	for (int i = 0; i < EARLY; i++)
		block_free(early[i]);
	DO(cuCtxSetCurrent, working);
	DO(cuCtxSynchronize);
	for (int i = 0; i < FILLS; i++)
		DO(cuMemsetD32Async, late, 1, RACE_BLOCK / 4, stream);
	DO(cuCtxSetCurrent, ending);
	block_free(late);
	DO(cuCtxCreate_v2, &fencing, 0, 0);
}

/* The second request makes a fence, as the freed blocks are not safe. */
static void request(void)
{
	CUdeviceptr addr;

	block_new(&addr);
	block_free(addr);
	race_hold();
	begun = true;
	block_new(&addr);
	race_pass();
}

static void destroy(void)
{
	while (!begun)
		schedule_yield();
	race_hold();
	DO(cuCtxDestroy_v2, ending);
	race_pass();
}

static void after(void)
{
	DO(cuCtxSetCurrent, working);
	DO(cuCtxSynchronize);
}

/* With this seed the simulation leaves the fills queued. */
const struct race race_ends[] = {
	{"fence beside the end of a context", "MNM_SIM_SEED", "3", 1, 9, before,
	 request, destroy, after},
	{0},
};
