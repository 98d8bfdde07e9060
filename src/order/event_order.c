#define HASH_NONFATAL_OOM 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <uthash.h>

#include "capture.h"
#include "event_order.h"
#include "streams.h"

struct event {
	struct CUevent_st *handle; /* the key */
	int recording;             /* calls under way */
	bool mixed;                /* several were at a time */
	uint64_t version;          /* another one with each record */
	struct stream_past past;   /* of the last record; empty if unknown */
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under lock. */
static struct event *events;
static uint64_t versions;

static _Atomic bool opaque;

/* Under lock. */
static struct event *event_find(struct CUevent_st *handle)
{
	struct event *event;

	HASH_FIND_PTR(events, &handle, event);
	return event;
}

/* Under lock. Returns NULL without memory. */
static struct event *event_current(struct CUevent_st *handle)
{
	struct event *event = event_find(handle);

	if (event)
		return event;
	event = calloc(1, sizeof(*event));
	if (!event)
		return NULL;
	event->handle = handle;
	HASH_ADD_PTR(events, handle, event);
	if (event->hh.tbl)
		return event;
	free(event);
	return NULL;
}

/* In a capture, records and waits become parts of a graph. */
static bool is_followed(const struct CUevent_st *event)
{
	return event && streams_are_used() &&
	       !atomic_load_explicit(&opaque, memory_order_relaxed) &&
	       !capture_any();
}

void event_record_begin(struct event_record *record, struct CUevent_st *handle,
			struct CUstream_st *stream, bool per_thread)
{
	struct event *event;

	record->event = NULL;
	if (!is_followed(handle)) {
		event_forget(handle);
		return;
	}
	stream_past_take(&record->past, stream, per_thread);
	pthread_mutex_lock(&lock);
	event = event_current(handle);
	if (event) {
		record->event = handle;
		event->mixed |= event->recording > 0;
		event->recording++;
		event->version = ++versions;
		event->past.count = 0;
	}
	pthread_mutex_unlock(&lock);
}

void event_record_end(const struct event_record *record, int res)
{
	struct event *event;

	if (!record->event)
		return;
	pthread_mutex_lock(&lock);
	event = event_find(record->event);
	if (event && event->recording && !--event->recording) {
		if (!res && !event->mixed)
			event->past = record->past;
		event->mixed = false;
	}
	if (event)
		event->version = ++versions;
	pthread_mutex_unlock(&lock);
}

void event_wait_begin(struct event_wait *wait, struct CUevent_st *handle)
{
	const struct event *event;

	wait->event = NULL;
	if (!is_followed(handle))
		return;
	pthread_mutex_lock(&lock);
	event = event_find(handle);
	if (event && event->past.count) {
		wait->event = handle;
		wait->version = event->version;
		wait->past = event->past;
	}
	pthread_mutex_unlock(&lock);
}

/* Whether the event has not been recorded anew since the wait began. */
static bool wait_holds(const struct event_wait *wait)
{
	const struct event *event;
	bool holds;

	if (!wait->event)
		return false;
	pthread_mutex_lock(&lock);
	event = event_find(wait->event);
	holds = event && event->version == wait->version;
	pthread_mutex_unlock(&lock);
	return holds && !atomic_load(&opaque);
}

void event_wait_end(const struct event_wait *wait, struct CUstream_st *stream,
		    bool per_thread)
{
	if (wait_holds(wait))
		stream_past_joins(&wait->past, stream, per_thread);
}

void event_sync_end(const struct event_wait *wait)
{
	if (wait_holds(wait))
		stream_past_is_over(&wait->past);
}

void event_forget(struct CUevent_st *handle)
{
	struct event *event;

	if (!streams_are_used())
		return;
	pthread_mutex_lock(&lock);
	event = event_find(handle);
	if (event)
		HASH_DEL(events, event);
	pthread_mutex_unlock(&lock);
	free(event);
}

void events_opaque(void)
{
	atomic_store(&opaque, true);
}
