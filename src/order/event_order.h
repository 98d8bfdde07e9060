/* Events that the program records in streams, and what comes before them.
 *
 * A stream that waits for an event comes after all that was freed in the order
 * of the event's stream before the event was recorded, and after all that this
 * stream was known to come after. So a request in it may use that memory at
 * once (streams.h). The device's epochs tell what was freed before: a record
 * ends one.
 *
 * If another thread records the event while it is waited for, nothing is
 * concluded. Nor is anything noted of an event while a record of any event is
 * under way that is not followed, as it may be of the same one. Once events may
 * be recorded in other ways, as by a graph, a launch or another process, none
 * is followed any more. */
#ifndef MNM_EVENT_ORDER_H
#define MNM_EVENT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "stream_past.h"

struct CUevent_st;

/* The program is about to record an event in a stream; and the call has
 * returned. per_thread: stream 0 means the calling thread's own. */
struct event;
struct event_record {
	bool unfollowed;     /* nothing is known of it */
	struct event *event; /* NULL: nothing is to be noted */
	struct CUevent_st *handle;
	struct stream_past past;
};
void event_record_begin(struct event_record *record, struct CUevent_st *event,
			struct CUstream_st *stream, bool per_thread);
void event_record_end(const struct event_record *record, int res);

/* The program is about to wait for an event, or to make a stream wait for it.
 * The other two are called after the call has succeeded: the first for a
 * stream, the second for the program itself. */
struct event_wait {
	struct event *event; /* NULL: nothing is known of it */
	struct CUevent_st *handle;
	uint64_t version;
	struct stream_past past;
};
void event_wait_begin(struct event_wait *wait, struct CUevent_st *event);
void event_wait_end(const struct event_wait *wait, struct CUstream_st *stream,
		    bool per_thread);
void event_sync_end(const struct event_wait *wait);

/* The event is about to be destroyed. (Those that end with their context need
 * not be told: the context's end waits for what comes before them.) */
void event_forget(struct CUevent_st *event);

/* Events may be recorded in other ways from now on, so none is followed. To be
 * called before the call that makes it so. */
void events_opaque(void);

#endif
