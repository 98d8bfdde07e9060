#include "legacy.h"

#include "context/context.h"
#include "cuda/backing.h"
#include "epoch.h"
#include "gate/gate.h"
#include "stream_order.h"
#include "stream_past.h"
#include "streams.h"

static _Atomic bool all_joined;

bool legacy_join(struct context *context)
{
	return !atomic_exchange(context ? &context->legacy_joins : &all_joined,
				true);
}

bool legacy_is_joined(const struct context *context)
{
	return atomic_load(&all_joined) || atomic_load(&context->legacy_joins);
}

/* Since the last work in a legacy stream a stream that waits was marked, and
 * threads may remember that. */
static _Atomic bool watched;
static _Atomic uint64_t works; /* in legacy streams, while that held */

__thread bool legacy_here;

/* After the work was queued: who marks a stream from then on finds the count
 * changed, and who has marked one before had set `watched`. */
static void work_noted(void)
{
	if (!atomic_exchange(&watched, false))
		return;
	atomic_fetch_add(&works, 1);
	atomic_fetch_add(&stream_changes, 1);
	gate_pass();
}

void legacy_worked(void)
{
	if (atomic_load(&watched))
		work_noted();
}

/* A call may be made within another one. */
void legacy_work_end(void)
{
	legacy_here = calls_own->count % CALLS_BEGUN;
	legacy_worked();
}

/* The epoch ends first, as with fences. */
static int legacy_mark(struct legacy_mark *mark, struct context *context)
{
	int res;

	mark->context = context;
	mark->again = true;
	mark->epoch = epoch_next(context->device);
	res = backing_legacy_mark(&context->legacy_mark);
	legacy_worked();
	return res;
}

/* Whether a stream that waits has been marked since the last work in the legacy
 * one; *now is what to note once it is. */
static bool is_marked(unsigned int number, uint64_t *now)
{
	atomic_store(&watched, true); /* first, see work_noted */
	*now = atomic_load(&works) + 1;
	return number && calls_are_all_seen() && streams_mark(number) == *now;
}

/* Marks a stream that waits: it comes after what the legacy one came after
 * before that. */
static int waiting_pass(struct context *context, unsigned int number,
			struct CUstream_st *stream, bool per_thread)
{
	unsigned int legacy = stream_follows(number), end;
	uint64_t row[STREAM_NUMBERS];
	int res;

	streams_lock();
	end = legacy ? streams_end() : 0;
	if (legacy)
		past_row_take(row, legacy);
	streams_unlock();
	res = backing_stream_mark(context->handle, stream, per_thread);
	streams_lock();
	if (!res && number &&
	    number == streams_find(stream, per_thread, &context))
		past_row_join(row, end, number);
	streams_unlock();
	return res;
}

static int waiting_mark(struct legacy_mark *mark, struct context *context,
			struct CUstream_st *stream, bool per_thread)
{
	unsigned int number = stream_number(context, stream, per_thread);
	uint64_t now;
	int res;

	if (number ? !streams_wait_for_legacy(number)
		   : !stream_waits(stream, per_thread))
		return 0;
	mark->again = !calls_are_all_seen();
	if (is_marked(number, &now))
		return 0;
	res = waiting_pass(context, number, stream, per_thread);
	if (!res && number)
		streams_mark_set(number, now);
	return res;
}

int legacy_mark_set(struct legacy_mark *mark, struct context *context,
		    struct CUstream_st *stream, bool per_thread)
{
	bool is_legacy =
		stream ? (uintptr_t)stream == SOLE_LEGACY : !per_thread;

	*mark = (struct legacy_mark){0};
	if (!legacy_is_joined(context))
		return 0;
	return is_legacy ? legacy_mark(mark, context)
			 : waiting_mark(mark, context, stream, per_thread);
}

void legacy_mark_note(const struct legacy_mark *mark)
{
	struct context *context = mark->context;
	unsigned int number;
	uint64_t epoch;

	if (!context)
		return;
	epoch = epoch_next(context->device);
	streams_lock();
	number = streams_find((struct CUstream_st *)SOLE_LEGACY, false,
			      &context);
	if (number)
		past_pass_legacy(context, number, mark->epoch, epoch);
	streams_unlock();
}
