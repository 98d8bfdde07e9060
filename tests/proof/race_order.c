/* Races about the order of one stream, which ends as another context comes. */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "race.h"
#include "schedule.h"

static CUcontext context, other;
static CUdeviceptr block;
static int said, behind; /* what is written to stderr, and that itself */
static atomic_bool begun;

static void block_new(void)
{
	DO(cuMemAlloc_v2, &block, RACE_BLOCK);
	if (race_api.sim_own)
		race_api.sim_own(block, RACE_BLOCK, "a race's");
}

static void block_free(void)
{
	if (race_api.sim_disown)
		race_api.sim_disown(block);
	DO(cuMemFree_v2, block);
}

/* Work of a stream is in its order from here on, and not over. */
static void order(void)
{
	for (int i = 0; i < 4; i++) {
		block_new();
		DO(cuMemsetD32Async, block, 1, RACE_BLOCK / 4,
		   CU_STREAM_LEGACY);
		block_free();
	}
	block_new();
	behind = dup(STDERR_FILENO);
	said = memfd_create("said", 0);
	dup2(said, STDERR_FILENO);
}

static void created_before(void)
{
	DO(cuInit, 0);
	DO(cuCtxCreate_v2, &context, 0, 0);
	order();
}

static void primary_before(void)
{
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	order();
}

static void destroy_first(void)
{
	if (race_api.sim_disown)
		race_api.sim_disown(block);
	race_hold();
	begun = true;
	DO(cuCtxDestroy_v2, context);
	race_pass();
}

static void destroy_in_vain(void)
{
	race_hold();
	begun = true;
	race_expect("destroy", race_api.cuCtxDestroy_v2(context), 999);
	race_pass();
}

static void release_first(void)
{
	if (race_api.sim_disown)
		race_api.sim_disown(block);
	race_hold();
	begun = true;
	DO(cuDevicePrimaryCtxRelease_v2, 0);
	race_pass();
}

static void create_second(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxCreate_v2, &other, 0, 0);
}

static void nothing_was_said(void)
{
	char text[512] = "";
	ssize_t length = pread(said, text, sizeof(text) - 1, 0);

	dup2(behind, STDERR_FILENO);
	fputs(text, stderr);
	race_expect("bytes on stderr", length, 0);
}

/* The context stays, and its block has been the sole stream's until now. */
static void second_stream(void)
{
	CUstream stream;

	DO(cuCtxSetCurrent, context);
	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	DO(cuMemsetD32Async, block, 2, RACE_BLOCK / 4, stream);
	nothing_was_said();
}

const struct race race_order[] = {
	{"order beside its context's end", NULL, NULL, 1, 0, created_before,
	 destroy_first, create_second, nothing_was_said},
	{"order beside its primary context's end", NULL, NULL, 1, 0,
	 primary_before, release_first, create_second, nothing_was_said},
	{"order beside an end that fails", "MNM_SIM_FAIL",
	 "cuCtxDestroy_v2:1:999", 1, 0, created_before, destroy_in_vain,
	 create_second, second_stream},
	{0},
};
