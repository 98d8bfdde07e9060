/* What every entry of the runtime rests on: the calling thread's state, the
 * context that it works in, and the answer that it gives.
 *
 * Errors inside are int: a CUresult or a cudaError_t, which share their
 * numbers where both have one. */
#ifndef MNM_SIM_RUNTIME_RUNTIME_H
#define MNM_SIM_RUNTIME_RUNTIME_H

#include <cuda_runtime_api.h>

#include "driver.h"

#define EXPORT __attribute__((visibility("default")))

enum { LAUNCH_DEPTH = 8 };

struct launch {
	dim3 grid, block;
	size_t shared_bytes;
	cudaStream_t stream;
};

struct thread {
	int device;       /* chosen by cudaSetDevice */
	cudaError_t last; /* kept until cudaGetLastError */
	unsigned depth;   /* launches pushed and not yet popped */
	struct launch launches[LAUNCH_DEPTH];
};

/* The calling thread's state. */
struct thread *thread_current(void);

/* Opens the driver and makes a context current if the thread has none: its
 * device's primary context. Every entry that works in a context starts so. */
int runtime_enter(void);

/* The entry's answer; a failure also becomes the thread's last error. */
cudaError_t runtime_result(int res);

/* The primary context of a device, made if it is not there. */
int primary_open(int device, CUcontext *ctx);

/* The device that the thread works on: its context's, else its choice. */
int device_current(int *device);

#endif
