/* What comes before what in streams that have numbers (streams.h).
 *
 * The past of a stream is what was freed in its order by now, and what it is
 * known to come after: by events, what was freed in other streams. The device's
 * epochs tell what was freed before, so taking a past ends one. A past that is
 * as long as there is room for is not complete, which costs a fence at most. */
#ifndef MNM_STREAM_PAST_H
#define MNM_STREAM_PAST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "block/block.h"

struct CUstream_st;
struct context;

enum { PAST_MAX = 8 };
struct stream_past {
	int count;
	struct {
		unsigned int number; /* what was freed in this stream */
		uint64_t serial;     /* (streams_serial) */
		uint64_t epoch;      /* in epochs below */
	} of[PAST_MAX];
};

/* The program is about to wait for a stream: takes the stream's past, which is
 * empty if it has no number. per_thread: stream 0 means the calling thread's
 * own. After the wait the host has seen the end of all that is in that past. */
void stream_past_take(struct stream_past *past, struct CUstream_st *stream,
		      bool per_thread);
void stream_past_is_over(const struct stream_past *past);

/* Under the streams' lock. The first is as stream_past_take, before an event is
 * recorded in the stream; the context is that of stream_place. The second: what
 * is queued in the stream of that number from now on comes after that past. */
void past_take(struct stream_past *past, struct context *context,
	       struct CUstream_st *stream, bool per_thread);
void past_joins(const struct stream_past *past, unsigned int number);
void past_is_over(const struct stream_past *past);

/* Under the streams' lock. The legacy stream of a context has passed a mark
 * (legacy.h): what was freed in it in an epoch below `own`, and in streams that
 * wait for it in an epoch below `others`, comes before what is queued in it
 * from now on, and in streams that wait for it. */
void past_pass_legacy(const struct context *context, unsigned int legacy,
		      uint64_t others, uint64_t own);

/* Under the streams' lock. What the stream of a number is behind, and the same
 * of one that is behind all of that from now on. `end` was streams_end as the
 * row was taken. */
void past_row_take(uint64_t row[STREAM_NUMBERS], unsigned int number);
void past_row_join(const uint64_t row[STREAM_NUMBERS], unsigned int end,
		   unsigned int number);

/* By streams: what was freed in a stream's order, in an epoch below, comes
 * before what is queued in the stream of that number. It may grow at any time.
 * NULL for 0. */
const uint64_t *stream_behind(unsigned int number);

/* The same of a legacy stream whose mark is still to be set, beside what it is
 * known to come after: all that is freed in streams that wait for it. The
 * second is under the streams' lock: the stream of a number waits for the
 * legacy one, or its number ends. */
const uint64_t *stream_passed(unsigned int legacy);
void past_waits(unsigned int legacy, unsigned int number, bool waits);

/* By streams: what was freed in a stream's order, in an epoch below, is over:
 * the host has seen the end of all that was done with it. */
extern _Atomic uint64_t streams_over[STREAM_NUMBERS];

/* For streams.c, under its lock: the number is given to a stream. */
void stream_past_clear(unsigned int number);

#endif
