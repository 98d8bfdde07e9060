/* What every entry of the runtime needs: the calling thread's state, the
 * context that it works in, and its result.
 *
 * Internal functions return errors as int: a CUresult or a cudaError_t, which
 * share their numbers where both have one. */
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

/* Opens the driver. If the thread has no context, or one that was reset, makes
 * its device's primary context current. Every entry that works in a context
 * starts with this. */
int runtime_enter(void);

/* The result of an entry. An error also becomes the thread's last error. */
cudaError_t runtime_result(int res);

/* The primary context of a device, which is made if there is none. */
int primary_open(int device, CUcontext *ctx);

/* The device that the thread works on: its context's, or else its
 * own choice. */
int device_current(int *device);

#endif
