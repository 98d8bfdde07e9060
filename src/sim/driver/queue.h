/* Room in the queues of streams, which the profile may limit (queue_most). */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <cuda.h>

struct context;
struct stream;

/* Wait until the stream's queue, or that of each of the context's streams, has
 * room for one more operation. Drop the lock meanwhile. It is an error if the
 * context has ended by then, or if memory is short. */
CUresult queue_wait(struct stream *stream);
CUresult queue_wait_all(struct context *ctx);

#endif
