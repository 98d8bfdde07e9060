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

/* Work in the legacy stream is as good as a mark. A context's last request or
 * free there was made in the device's epoch `legacy_asked`; and what was made
 * in an epoch below `legacy_queued` is before such work. */
static __thread struct {
	struct context *context; /* NULL: no marks were due */
	uint64_t epoch;          /* begun just before the call */
} work;

/* A call may be made within another one. Then neither takes a mark's place: the
 * inner one does not know what the outer one has queued by now. */
void legacy_work_end(bool queued)
{
	legacy_here = calls_own->count % CALLS_BEGUN;
	legacy_worked(); /* first, as with a mark */
	if (queued && work.context && !legacy_here)
		epoch_raise(&work.context->legacy_queued, work.epoch);
	work.context = NULL;
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

static void settle_in(struct context *context, bool late);

/* Whether a stream that waits has been marked since the last work in the legacy
 * one; *now is what to note once it is. A mark that comes due before `watched`
 * is raised is not noted as work. */
static bool is_marked(struct legacy_mark *mark, struct context *context,
		      unsigned int number, uint64_t *now)
{
	settle_in(context, false);
	*now = atomic_load(&works) + 1;
	epoch_raise(&watched, *now); /* before it is marked */
	mark->again =
		!calls_are_all_seen() || atomic_load(&context->legacy_due);
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
	if (is_marked(mark, context, number, &now))
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

/* What was freed in the legacy stream in an epoch below `own`, and in streams
 * that wait for it in an epoch below `others`, comes before the mark. */
static void mark_note(struct context *context, uint64_t others, uint64_t own)
{
	unsigned int number;

	streams_lock();
	number = streams_find((struct CUstream_st *)SOLE_LEGACY, false,
			      &context);
	if (number)
		past_pass_legacy(context, number, others, own);
	streams_unlock();
}

void legacy_mark_note(const struct legacy_mark *mark)
{
	if (mark->context && !mark->later)
		mark_note(mark->context, mark->epoch,
			  epoch_next(mark->context->device));
}

/* A context's marks that are due are set by one thread, for which others wait:
 * what they are about to queue comes after the marks. A request may come
 * meanwhile. */
enum { DUE_NONE, DUE, DUE_SETTLING };
_Atomic unsigned int legacy_due;
static __thread bool settling; /* a tool's calls within it don't wait */

/* Whoever sees none due, of all contexts, comes before this. Who marks a stream
 * that waits from then on finds that a mark is due, and one that was marked
 * before is watched. */
void legacy_mark_later(struct context *context)
{
	epoch_raise(&context->legacy_asked,
		    atomic_load(&context->device->epoch)); /* first */
	if (atomic_load(&context->legacy_due) != DUE) {
		atomic_fetch_add(&legacy_due, 1); /* first */
		if (atomic_exchange(&context->legacy_due, DUE))
			atomic_fetch_sub(&legacy_due, 1);
	}
	legacy_worked();
	if (!calls_are_all_seen() || capture_any())
		legacy_settle_late();
}

void legacy_mark_end(const struct legacy_mark *mark)
{
	if (mark->later)
		legacy_mark_later(mark->context);
}

/* What is freed while the mark is being set may not come before it. If the mark
 * is refused, so may be the next ones. Then what they are for is CUDA's. */
static void mark_due_set(struct context *context)
{
	uint64_t epoch = atomic_load(&context->legacy_queued);

	if (atomic_load(&context->legacy_asked) < epoch) {
		mark_note(context, epoch, epoch);
		return;
	}
	epoch = epoch_next(context->device);
	if (!backing_legacy_mark_of(context->handle, &context->legacy_mark)) {
		legacy_worked();
		mark_note(context, epoch, epoch);
	} else {
		atomic_store(&context->legacy_refused, true);
		ways_forget();
	}
}

/* Under the context's lock for this. Where a call may be about to end the
 * context, the mark stays due. */
static void context_settle(struct context *context)
{
	enum context_state state = context_try(context);
	unsigned int set = DUE_SETTLING;

	if (state == CONTEXT_ENDING)
		return;
	if (atomic_load(&context->legacy_due))
		atomic_store(&context->legacy_due, DUE_SETTLING);
	else
		set = DUE_NONE;
	if (state == CONTEXT_ALIVE) {
		if (set)
			mark_due_set(context);
		context_unuse(context);
	}
	if (set && atomic_compare_exchange_strong(&context->legacy_due, &set,
						  DUE_NONE))
		atomic_fetch_sub(&legacy_due, 1);
}

/* Of this context alone: the queue of another one's legacy stream may be full,
 * and its work may wait for the caller. `late`: though a stream captures. */
static void settle_in(struct context *context, bool late)
{
	bool blocks;

	if (!atomic_load(&context->legacy_due) || settling || !serving_is_on())
		return;
	settling = true;
	pthread_mutex_lock(&context->legacy_lock);
	blocks = capture_block();
	if (blocks || late)
		context_settle(context);
	if (blocks)
		capture_unblock();
	pthread_mutex_unlock(&context->legacy_lock);
	settling = false;
}

static void all_settle(bool late)
{
	struct context_walk walk = {0};
	struct context *context;

	if (!atomic_load(&legacy_due) || settling || !serving_is_on())
		return;
	while ((context = context_next_using(&walk, NULL)))
		settle_in(context, late);
}

void legacy_settle(void)
{
	all_settle(false);
}

void legacy_settle_late(void)
{
	all_settle(true);
}

/* The context of a stream; NULL if it is none that has marks. */
static struct context *context_of(struct CUstream_st *stream)
{
	struct context *context = context_current();
	struct context_walk walk = {0};

	if ((uintptr_t)stream <= SOLE_PER_THREAD ||
	    (context && backing_stream_is_of(stream, context->handle)))
		return context;
	do {
		context = context_next_using(&walk, NULL);
	} while (context && !backing_stream_is_of(stream, context->handle));
	return context;
}

void legacy_settle_for(struct CUstream_st *stream, bool per_thread)
{
	struct context *context;

	if (!atomic_load(&legacy_due) || !serving_is_on() || capture_any() ||
	    !(stream_is_legacy(stream, per_thread) ||
	      stream_waits(stream, per_thread)))
		return;
	context = context_of(stream);
	if (context)
		settle_in(context, false);
}

static void work_begin(struct context *context)
{
	work.context = context;
	if (context)
		work.epoch = epoch_next(context->device);
}

void legacy_call_begin(struct CUstream_st *stream, bool per_thread)
{
	if (stream_is_legacy(stream, per_thread))
		work_begin(serving_is_on() ? context_current() : NULL);
	else
		legacy_settle_for(stream, per_thread);
}

void legacy_ended(struct context *context)
{
	if (atomic_exchange(&context->legacy_due, DUE_NONE))
		atomic_fetch_sub(&legacy_due, 1);
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
