/* Room in the queues of streams, of which each has as much as the profile says.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <cuda.h>

struct context;
struct stream;

/* Wait until the queue, or each of the context's, has room for one more; drop
 * the lock meanwhile. An error: the context has ended by then. */
CUresult queue_wait(struct stream *stream);
CUresult queue_wait_all(struct context *ctx);

#endif
