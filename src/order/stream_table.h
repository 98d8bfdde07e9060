/* The table of numbers (streams.c), and what ends them (stream_changes.c). */
#ifndef MNM_STREAM_TABLE_H
#define MNM_STREAM_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "streams.h"

/* Who has a number. The key is read without the lock. */
struct stream {
	_Atomic uintptr_t key; /* as in stream_order.h; SOLE_NONE: nobody */
	struct context *context;
	const void *thread; /* whose default stream it is; or NULL */
	uint64_t ended;     /* the number was its own up to this epoch; or 0 */
	uint64_t serial;    /* which stream with this number it is */
	bool waits;         /* for the legacy stream */
	_Atomic uint64_t mark; /* see streams_mark */
};

/* The key of a stream, as in stream_order.h. */
uintptr_t stream_order_key(struct CUstream_st *stream, bool per_thread);

/* Ends a number: once this returns, nothing is freed in the order of its stream
 * any more. The second: those of all streams for which is() holds. */
typedef bool stream_is_fn(const struct stream *stream, const void *arg);
void stream_stop(unsigned int number);
void streams_stop(stream_is_fn *is, const void *arg);

/* Under the streams' lock. From now on no default stream gets a number. */
void streams_have_parts(void);

#endif
