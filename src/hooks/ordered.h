/* What the runtime's hooks of stream-ordered memory need of the driver's. */
#ifndef MNM_ORDERED_H
#define MNM_ORDERED_H

#include <stdbool.h>

#include "cuda/real.h"

struct block;
struct context;

/* The driver's entries, to be looked at as bytes: see memory.c. */
#define HIDDEN __attribute__((visibility("hidden")))
extern __typeof__(cuMemAllocAsync) ordered_alloc_entry HIDDEN;
extern __typeof__(cuMemFreeAsync) ordered_free_entry HIDDEN;

/* Whether the stream is one of the current context. What concerns others is
 * CUDA's: memory is that of the stream's device, and a stream that is gone is
 * an error. */
bool ordered_stream_is_own(CUstream stream, const struct context *context);

/* A free whose block the fast path has taken (FAST_TAKEN) in the calling
 * thread's verified cache. It does not fail. */
CUresult ordered_free_taken(CUdeviceptr ptr, CUstream stream, bool per_thread,
			    struct block *taken);

#endif
