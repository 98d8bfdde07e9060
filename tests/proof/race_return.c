/* Races about the order of one stream, which comes back once that stream is
 * alone again. */
#include <stdatomic.h>

#include "race.h"
#include "schedule.h"

enum {
	ROUNDS = 5, /* after so many requests the order has come back */
	REUSED = 8, /* blocks that are looked at after the race */
};

static CUcontext context, other;
static CUstream lone, second, third;
static CUdeviceptr block;
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

static void fill_part(CUdeviceptr addr, size_t bytes, CUstream stream)
{
	DO(cuMemsetD32Async, addr, 1, bytes / 4, stream);
}

static void fill(CUdeviceptr addr, CUstream stream)
{
	fill_part(addr, RACE_BLOCK, stream);
}

/* Gives work to two streams, and leaves one block live. */
static void before(void)
{
	CUdeviceptr addr;

	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
	DO(cuStreamCreate, &lone, CU_STREAM_NON_BLOCKING);
	DO(cuStreamCreate, &second, CU_STREAM_NON_BLOCKING);
	DO(cuStreamCreate, &third, CU_STREAM_NON_BLOCKING);
	block_new(&block);
	block_new(&addr);
	fill_part(addr, RACE_BLOCK / 2, lone);
	fill_part(addr + RACE_BLOCK / 2, RACE_BLOCK / 2, second);
	block_free(addr);
}

static void before_legacy(void)
{
	before();
	lone = CU_STREAM_LEGACY;
}

/* Makes requests with work in one stream, or with none if it is NULL. */
static void requests(CUstream stream)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < ROUNDS; i++) {
		block_new(&addr);
		if (stream)
			fill(addr, stream);
		block_free(addr);
	}
}

static void lone_work(void)
{
	requests(lone);
}

static void lone_work_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	requests(lone);
	race_pass();
}

static void requests_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	requests(NULL);
	race_pass();
}

/* Takes the freed blocks, and gives them work in the lone stream. */
static void reuse(void)
{
	CUdeviceptr addr;

	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++) {
		block_new(&addr);
		fill(addr, lone);
	}
}

static void second_work(void)
{
	fill(block, second);
	block_free(block);
}

static void second_work_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	second_work();
	race_pass();
}

static void second_work_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	second_work();
}

static void second_context_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxCreate_v2, &other, 0, 0);
	fill(block, CU_STREAM_LEGACY);
	DO(cuCtxSetCurrent, context);
	block_free(block);
}

static void second_context_held(void)
{
	race_hold();
	begun = true;
	DO(cuCtxCreate_v2, &other, 0, 0);
	fill(block, CU_STREAM_LEGACY);
	race_pass();
	DO(cuCtxSetCurrent, context);
	block_free(block);
}

static void lone_work_then(void)
{
	while (!begun)
		schedule_yield();
	requests(lone);
}

/* During a capture no fence can be made for a block that is reused in another
 * stream. */
static void capture(void)
{
	CUdeviceptr addr;
	CUgraph graph;

	DO(cuStreamBeginCapture_v2, third, CU_STREAM_CAPTURE_MODE_RELAXED);
	block_new(&addr);
	fill(addr, second);
	DO(cuStreamEndCapture, third, &graph);
	block_free(addr);
}

static void capture_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	capture();
}

static void capture_held(void)
{
	DO(cuCtxSetCurrent, context);
	race_hold();
	begun = true;
	capture();
	race_pass();
}

/* The stream's work goes on after its end. */
static void stream_ends_then(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
	fill(block, second);
	block_free(block);
	DO(cuStreamDestroy_v2, second);
}

const struct race race_return[] = {
	{"order returns beside a call for another stream", NULL, NULL, 1, 0,
	 before, second_work_held, lone_work, reuse},
	{"another stream's call beside the order's return", NULL, NULL, 1, 0,
	 before, lone_work_held, second_work_then, reuse},
	{"a second context beside the order's return", NULL, NULL, 1, 0,
	 before_legacy, lone_work_held, second_context_then, reuse},
	{"order returns beside a second context", NULL, NULL, 1, 0,
	 before_legacy, second_context_held, lone_work_then, reuse},
	{"a capture beside the order's return", "MNM_THREAD_CACHE", "0", 1, 0,
	 before, lone_work_held, capture_then, reuse},
	{"order returns beside a capture", "MNM_THREAD_CACHE", "0", 1, 0,
	 before, capture_held, lone_work_then, reuse},
	{"a stream's end beside the order's return", NULL, NULL, 1, 0, before,
	 requests_held, stream_ends_then, reuse},
	{"order returns after a call for another stream", NULL, NULL, 1, 9,
	 before, second_work_held, lone_work_held, reuse},
	{0},
};
