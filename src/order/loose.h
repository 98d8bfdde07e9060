/* Streams that were given work which need not wait for all their earlier work.
 * All of this is under the streams' lock (streams.h). A key is that of
 * stream_order.h; the context matters for default streams alone. */
#ifndef MNM_LOOSE_H
#define MNM_LOOSE_H

#include <stdbool.h>
#include <stdint.h>

struct context;

bool stream_is_loose(const struct context *context, uintptr_t key);

/* Whether all streams are, as there are more such streams than can be noted. */
bool streams_are_loose(void);

/* Returns false if that was known before. */
bool stream_is_loose_now(const struct context *context, uintptr_t key);

/* The stream has ended; its handle may be another's. */
void stream_was_loose(uintptr_t key);

#endif
