/* Two streams of the driver's API that don't wait for the legacy one, and how
 * one is put behind the other. */
#ifndef MNM_BENCH_DRIVER_ORDER_H
#define MNM_BENCH_DRIVER_ORDER_H

#include <cuda.h>

#include "allocator.h"
#include "fail.h"

static CUstream streams[BENCH_STREAMS];
static CUevent event;

static inline CUresult streams_open(CUdevice *device)
{
	CUcontext context;
	CUresult res = cuInit(0);

	if (!res)
		res = cuDeviceGet(device, 0);
	if (!res)
		res = cuDevicePrimaryCtxRetain(&context, *device);
	if (!res)
		res = cuCtxSetCurrent(context);
	if (!res)
		res = cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
	for (int i = 0; i < BENCH_STREAMS && !res; i++)
		res = cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING);
	return res;
}

static inline void streams_order(unsigned int earlier, unsigned int later)
{
	if (cuEventRecord(event, streams[earlier]) ||
	    cuStreamWaitEvent(streams[later], event, 0))
		fail("an event between streams", "the driver refused it");
}

#endif
