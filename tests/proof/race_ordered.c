#include "race_ordered.h"

#include <stdlib.h>

#include "schedule.h"

CUcontext context;
CUstream freeing, recording, waiting;
CUevent event;
atomic_bool begun;

CUdeviceptr asked(CUstream stream)
{
	CUdeviceptr addr = 0;

	DO(cuMemAllocAsync, &addr, RACE_BLOCK, stream);
	if (race_api.sim_own)
		race_api.sim_own(addr, RACE_BLOCK, "a race's");
	return addr;
}

void fill(CUdeviceptr addr, CUstream stream)
{
	DO(cuMemsetD32Async, addr, 1, RACE_BLOCK / 4, stream);
}

void freed(CUdeviceptr addr, CUstream stream)
{
	if (race_api.sim_disown)
		race_api.sim_disown(addr);
	DO(cuMemFreeAsync, addr, stream);
}

CUdeviceptr asked_and_filled(CUstream stream)
{
	CUdeviceptr addr = asked(stream);

	fill(addr, stream);
	return addr;
}

CUstream stream_new(void)
{
	CUstream stream = NULL;

	DO(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
	return stream;
}

void begun_wait(void)
{
	while (!begun)
		schedule_yield();
	DO(cuCtxSetCurrent, context);
}

void before_alone(void)
{
	DO(cuInit, 0);
	DO(cuDevicePrimaryCtxRetain, &context, 0);
	DO(cuCtxSetCurrent, context);
}

void before_cached(void)
{
	before_alone();
	freeing = stream_new();
	recording = stream_new();
	waiting = stream_new();
	DO(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
}

void before_any(void)
{
	setenv("MNM_THREAD_CACHE", "0", 1);
	before_cached();
}

void before_record(void)
{
	CUdeviceptr first, second;

	before_any();
	first = asked_and_filled(freeing);
	second = asked_and_filled(recording);
	asked_and_filled(waiting);
	freed(first, freeing);
	freed(second, recording);
	DO(cuEventRecord, event, freeing);
}

void reuse(void)
{
	DO(cuCtxSetCurrent, context);
	for (int i = 0; i < REUSED; i++)
		asked_and_filled(waiting);
}

void wait_and_reuse(void)
{
	DO(cuCtxSetCurrent, context);
	DO(cuStreamWaitEvent, waiting, event, 0);
	reuse();
}
