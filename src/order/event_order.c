/* Handles are addresses. */
#define HASH_FUNCTION(key, length, hash) \
	((hash) = handle_hash(*(struct CUevent_st *const *)(key)))
#include <stdatomic.h>
#include <stdlib.h>

#include <uthash.h>

#include "capture.h"
#include "context/context.h"
#include "event_order.h"
#include "preload/serving.h"
#include "streams.h"

static inline unsigned int handle_hash(const struct CUevent_st *handle)
{
	return (unsigned int)((uintptr_t)handle >> 4) * 0x9e3779b1U;
}

/* The record of an event that has ended serves another one, and is never freed:
 * who has a pointer to it compares the handle and the version. */
struct event {
	struct CUevent_st *handle; /* the key; NULL: of none */
	int recording;             /* calls under way */
	bool mixed;                /* several were at a time */
	uint64_t version;          /* another one with each record */
	struct stream_past past;   /* of the last record; empty if unknown */
	struct event *next;        /* of those that are of none */
	UT_hash_handle hh;
};

/* Under the streams' lock, as all below that is not said to be otherwise. */
static struct event *events, *spares;
static uint64_t versions;

static _Atomic bool opaque;
static _Atomic unsigned int unfollowed; /* records that are under way */

static struct event *event_find(struct CUevent_st *handle)
{
	struct event *event;

	HASH_FIND_PTR(events, &handle, event);
	return event;
}

static void event_spare(struct event *event)
{
	event->handle = NULL;
	event->next = spares;
	spares = event;
}

/* Returns NULL without memory. */
static struct event *event_current(struct CUevent_st *handle)
{
	struct event *event = event_find(handle);

	if (event)
		return event;
	event = spares;
	if (event)
		spares = event->next;
	else
		event = malloc(sizeof(*event));
	if (!event)
		return NULL;
	*event = (struct event){.handle = handle};
	HASH_ADD_PTR(events, handle, event);
	if (event->hh.tbl)
		return event;
	event_spare(event);
	return NULL;
}

/* In a capture, records and waits become parts of a graph. */
static bool is_followed(void)
{
	return streams_are_used() &&
	       !atomic_load_explicit(&opaque, memory_order_relaxed) &&
	       !capture_any();
}

/* What comes before the event is not known, even if a record of it that is
 * followed is under way. */
static void event_unknown(struct event *event)
{
	event->past.count = 0;
	event->mixed |= event->recording > 0;
	event->version = ++versions;
}

static void record_unfollowed(struct CUevent_st *handle)
{
	struct event *event;

	if (!streams_are_used())
		return;
	streams_lock();
	event = event_find(handle);
	if (event)
		event_unknown(event);
	streams_unlock();
}

static void record_followed(struct event_record *record,
			    struct CUevent_st *handle,
			    struct CUstream_st *stream, bool per_thread)
{
	struct context *context = stream_place(stream);
	struct event *event;

	streams_lock();
	event = event_current(handle);
	if (event) {
		event_unknown(event);
		record->unfollowed = atomic_load(&unfollowed) > 0;
	}
	if (event && !record->unfollowed) {
		past_take(&record->past, context, stream, per_thread);
		record->event = event;
		record->handle = handle;
		event->recording++;
	}
	if (record->unfollowed)
		atomic_fetch_add(&unfollowed, 1);
	streams_unlock();
}

/* A record that is not followed is counted before it is looked whether any is
 * by now (record_unfollowed): whoever begins to follow records after that sees
 * it. */
void event_record_begin(struct event_record *record, struct CUevent_st *handle,
			struct CUstream_st *stream, bool per_thread)
{
	record->event = NULL;
	record->unfollowed = false;
	if (!handle || atomic_load_explicit(&opaque, memory_order_relaxed) ||
	    !serving_is_on())
		return;
	if (is_followed()) {
		record_followed(record, handle, stream, per_thread);
		return;
	}
	atomic_fetch_add(&unfollowed, 1);
	record->unfollowed = true;
	record_unfollowed(handle);
}

static void past_copy(struct stream_past *to, const struct stream_past *from)
{
	to->count = from->count;
	for (int i = 0; i < from->count; i++)
		to->of[i] = from->of[i];
}

void event_record_end(const struct event_record *record, int res)
{
	struct event *event = record->event;

	if (record->unfollowed)
		atomic_fetch_sub(&unfollowed, 1);
	if (!event)
		return;
	streams_lock();
	if (event->handle == record->handle && event->recording &&
	    !--event->recording) {
		if (!res && !event->mixed)
			past_copy(&event->past, &record->past);
		event->mixed = false;
	}
	streams_unlock();
}

void event_wait_begin(struct event_wait *wait, struct CUevent_st *handle)
{
	struct event *event;

	wait->event = NULL;
	if (!handle || !is_followed())
		return;
	streams_lock();
	event = event_find(handle);
	if (event && event->past.count) {
		wait->event = event;
		wait->handle = handle;
		wait->version = event->version;
		past_copy(&wait->past, &event->past);
	}
	streams_unlock();
}

/* Whether the event has not been recorded anew since the wait began. */
static bool wait_holds(const struct event_wait *wait)
{
	return wait->event->handle == wait->handle &&
	       wait->event->version == wait->version && !atomic_load(&opaque);
}

/* Returns the number of a stream, under the lock. A stream that waits may have
 * had no memory so far. */
static unsigned int number_locked(struct CUstream_st *stream, bool per_thread)
{
	struct context *context = stream_place(stream), *current;
	unsigned int number;

	streams_lock();
	number = streams_find(stream, per_thread, &context);
	if (number)
		return number;
	streams_unlock();
	current = context_current();
	if (current)
		stream_number(current, stream, per_thread);
	streams_lock();
	return streams_find(stream, per_thread, &current);
}

void event_wait_end(const struct event_wait *wait, struct CUstream_st *stream,
		    bool per_thread)
{
	unsigned int number;

	if (!wait->event)
		return;
	number = number_locked(stream, per_thread);
	if (number && wait_holds(wait))
		past_joins(&wait->past, number);
	streams_unlock();
}

void event_sync_end(const struct event_wait *wait)
{
	if (!wait->event)
		return;
	streams_lock();
	if (wait_holds(wait))
		past_is_over(&wait->past);
	streams_unlock();
}

void event_forget(struct CUevent_st *handle)
{
	struct event *event;

	if (!streams_are_used())
		return;
	streams_lock();
	event = event_find(handle);
	if (event) {
		HASH_DEL(events, event);
		event_spare(event);
	}
	streams_unlock();
}

void events_opaque(void)
{
	atomic_store(&opaque, true);
}
