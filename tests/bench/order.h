/* How a driver over CUDA's runtime puts one of its streams behind another. */
#ifndef MNM_BENCH_ORDER_H
#define MNM_BENCH_ORDER_H

#include <cuda_runtime_api.h>

#include "fail.h"

/* As a program does it: an event that is made once, recorded and waited for. */
static inline void streams_order(cudaStream_t earlier, cudaStream_t later)
{
	static cudaEvent_t event;
	cudaError_t res = cudaSuccess;

	if (!event)
		res = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	if (!res)
		res = cudaEventRecord(event, earlier);
	if (!res)
		res = cudaStreamWaitEvent(later, event, 0);
	if (res)
		fail("an event between streams", cudaGetErrorString(res));
}

#endif
