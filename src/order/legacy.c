#include "legacy.h"

#include <pthread.h>

#include "capture.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "epoch.h"
#include "gate/gate.h"
#include "preload/serving.h"
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

/* How often streams that wait had to be marked anew from then on: as the legacy
 * one had got work, or was about to come after more. A stream that was marked
 * at a count is watched as long as that is the count. Threads may remember it
 * until all have passed. */
static _Atomic uint64_t works, watched, passed;
static pthread_mutex_t works_lock = PTHREAD_MUTEX_INITIALIZER;

__thread bool legacy_here;

/* Threads forget what they remember of streams. */
static void ways_forget(void)
{
	atomic_fetch_add(&stream_changes, 1);
	gate_pass();
}

/* Who comes second waits until all threads have passed. */
static void work_noted(void)
{
	uint64_t now;

	if (!serving_is_on()) /* a forked child, where locks may stay held */
		return;
	pthread_mutex_lock(&works_lock);
	if (atomic_load(&watched) > atomic_load(&passed)) {
		now = atomic_fetch_add(&works, 1) + 1;
		ways_forget();
		atomic_store(&passed, now);
	}
	pthread_mutex_unlock(&works_lock);
}

void legacy_worked(void)
{
	if (atomic_load(&watched) > atomic_load(&passed))
		work_noted();
}

/* A call may be made within another one. */
void legacy_work_end(void)
{
	legacy_here = calls_own->count % CALLS_BEGUN;
	legacy_worked();
}

static bool stream_is_legacy(const struct CUstream_st *stream, bool per_thread)
{
	return stream ? (uintptr_t)stream == SOLE_LEGACY : !per_thread;
}

/* The epoch ends first, as with fences. A stream without a number is one whose
 * actions may be another's. */
static int legacy_mark(struct legacy_mark *mark, struct context *context,
		       struct CUstream_st *stream)
{
	int res;

	mark->context = context;
	mark->later = calls_are_all_seen() &&
		      !atomic_load(&context->legacy_refused) &&
		      stream_number(context, stream, false);
	if (mark->later)
		return 0;
	mark->again = true;
	mark->epoch = epoch_next(context->device);
	res = backing_legacy_mark(&context->legacy_mark);
	legacy_worked();
	return res;
}

/* Whether a stream that waits has been marked since the last work in the legacy
 * one; *now is what to note once it is. A mark that comes due before `watched`
 * is raised is not noted as work. */
static bool is_marked(struct legacy_mark *mark, unsigned int number,
		      uint64_t *now)
{
	legacy_settle();
	*now = atomic_load(&works) + 1;
	epoch_raise(&watched, *now); /* before it is marked */
	mark->again = !calls_are_all_seen() || atomic_load(&legacy_due);
	return number && !mark->again && streams_mark(number) == *now;
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
	if (is_marked(mark, number, &now))
		return 0;
	res = waiting_pass(context, number, stream, per_thread);
	if (!res && number)
		streams_mark_set(number, now);
	return res;
}

int legacy_mark_set(struct legacy_mark *mark, struct context *context,
		    struct CUstream_st *stream, bool per_thread)
{
	*mark = (struct legacy_mark){0};
	if (!legacy_is_joined(context))
		return 0;
	if (stream_is_legacy(stream, per_thread))
		return legacy_mark(mark, context, stream);
	return waiting_mark(mark, context, stream, per_thread);
}

void legacy_mark_note(const struct legacy_mark *mark)
{
	struct context *context = mark->context;
	unsigned int number;
	uint64_t epoch;

	if (!context || mark->later)
		return;
	epoch = epoch_next(context->device);
	streams_lock();
	number = streams_find((struct CUstream_st *)SOLE_LEGACY, false,
			      &context);
	if (number)
		past_pass_legacy(context, number, mark->epoch, epoch);
	streams_unlock();
}

/* Marks that are due are set by one thread, for which others wait: what they
 * are about to queue comes after the marks. A request may come meanwhile. */
enum { DUE_NONE, DUE, DUE_SETTLING };
_Atomic unsigned int legacy_due;
static pthread_mutex_t due_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread bool settling; /* a tool's calls within it don't wait */

/* Whoever finds legacy_due finds the context. Who marks a stream that waits
 * from then on finds that a mark is due, and one that was marked before is
 * watched. */
void legacy_mark_later(struct context *context)
{
	atomic_store_explicit(&context->legacy_due, true, memory_order_relaxed);
	atomic_exchange(&legacy_due, DUE);
	legacy_worked();
}

void legacy_mark_end(const struct legacy_mark *mark)
{
	if (!mark->later)
		return;
	legacy_mark_later(mark->context);
	if (!calls_are_all_seen())
		legacy_settle();
}

/* If the mark is refused, so may be the next ones. Then what they are for is
 * CUDA's. */
static void context_settle(struct context *context)
{
	struct legacy_mark mark = {.context = context};

	if (!atomic_exchange(&context->legacy_due, false) ||
	    context_try(context) != CONTEXT_ALIVE)
		return;
	mark.epoch = epoch_next(context->device);
	if (!backing_legacy_mark_of(context->handle, &context->legacy_mark)) {
		legacy_worked();
		legacy_mark_note(&mark);
	} else {
		atomic_store(&context->legacy_refused, true);
		ways_forget();
	}
	context_unuse(context);
}

/* Under due_lock, while no capture begins. */
static void all_settle(void)
{
	struct context_walk walk = {0};
	struct context *context;
	unsigned int all = DUE_SETTLING;

	atomic_store(&legacy_due, DUE_SETTLING);
	while ((context = context_next_using(&walk, NULL)))
		context_settle(context);
	atomic_compare_exchange_strong(&legacy_due, &all, DUE_NONE);
}

void legacy_settle(void)
{
	if (!atomic_load(&legacy_due) || settling || !serving_is_on())
		return;
	settling = true;
	pthread_mutex_lock(&due_lock);
	if (atomic_load(&legacy_due) && capture_block()) {
		all_settle();
		capture_unblock();
	}
	pthread_mutex_unlock(&due_lock);
	settling = false;
}

void legacy_settle_for(struct CUstream_st *stream, bool per_thread)
{
	if (atomic_load(&legacy_due) && serving_is_on() && !capture_any() &&
	    (stream_is_legacy(stream, per_thread) ||
	     stream_waits(stream, per_thread)))
		legacy_settle();
}

void legacy_actions_unseen(void)
{
	static _Atomic bool told;

	calls_unseen();
	if (atomic_load_explicit(&told, memory_order_relaxed) ||
	    !serving_is_on() || atomic_exchange(&told, true))
		return;
	ways_forget();
}
