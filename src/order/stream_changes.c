#include <pthread.h>

#include "context/context.h"
#include "cuda/backing.h"
#include "fence.h"
#include "legacy.h"
#include "loose.h"
#include "preload/serving.h"
#include "preload/thread.h"
#include "stream_order.h"
#include "stream_table.h"

static bool is_legacy_of(const struct stream *stream, const void *context)
{
	return stream->key == SOLE_LEGACY &&
	       (!context || stream->context == context);
}

/* Who comes second waits until the change is made. A tool's call within such a
 * change does not. */
static pthread_mutex_t change = PTHREAD_MUTEX_INITIALIZER;
static __thread int changing;

static void change_begin(void)
{
	if (!changing++)
		pthread_mutex_lock(&change);
}

static void change_end(void)
{
	if (!--changing)
		pthread_mutex_unlock(&change);
}

/* Threads may remember the legacy stream, and make no marks, until this
 * returns. */
static void legacy_joins(struct context *context)
{
	change_begin();
	if (legacy_join(context)) {
		atomic_fetch_add(&stream_changes, 1);
		streams_stop(is_legacy_of, context);
	}
	change_end();
}

void stream_made(struct context *context, bool waits)
{
	if (context && waits && serving_is_on())
		legacy_joins(context);
}

static void all_legacy_join(void)
{
	static _Atomic bool told;

	if (atomic_load_explicit(&told, memory_order_acquire) ||
	    !serving_is_on())
		return;
	legacy_joins(NULL);
	atomic_store(&told, true);
}

void stream_per_thread_used(void)
{
	all_legacy_join();
}

void stream_calls_unseen(void)
{
	all_legacy_join();
}

static bool is_default(const struct stream *stream, const void *unused)
{
	(void)unused;
	return stream->key <= SOLE_PER_THREAD;
}

void stream_part_made(void)
{
	if (!serving_is_on())
		return;
	change_begin();
	/* First, so that no number is given from now on. */
	streams_lock();
	streams_have_parts();
	streams_unlock();
	streams_stop(is_default, NULL);
	change_end();
}

static bool is_handle(const struct stream *stream, const void *handle)
{
	return stream->key == (uintptr_t)handle;
}

void stream_ends(struct CUstream_st *stream)
{
	if ((uintptr_t)stream <= SOLE_PER_THREAD || !streams_are_used())
		return;
	streams_stop(is_handle, stream);
	legacy_settle_for(stream, false); /* it may not be waited for later */
	streams_lock();
	stream_was_loose((uintptr_t)stream);
	streams_unlock();
}

static bool is_any(const struct stream *stream, const void *unused)
{
	(void)stream;
	(void)unused;
	return true;
}

/* Streams for which a thread makes the calls that stand in for their order. The
 * queue of one may be full, so that these calls wait for work. No other
 * stream's change waits for that: the work may wait for it. Under the lock of
 * changes. */
static struct settling {
	uintptr_t key;
	const struct context *context; /* of a default stream; or NULL */
	const void *thread;
	struct settling *next;
} * settling;
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER;
static __thread char this_thread; /* stands for the thread */

static bool is_settling(uintptr_t key, const struct context *context)
{
	const struct settling *at = settling;

	while (at && (at->key != key || at->context != context ||
		      at->thread == &this_thread))
		at = at->next;
	return at;
}

static void settled_remove(const struct settling *one)
{
	struct settling **at = &settling;

	while (*at != one)
		at = &(*at)->next;
	*at = one->next;
	pthread_cond_broadcast(&settled);
}

/* Waits for another thread's calls for the same stream. Returns the number that
 * the stream had until now, and sets *context to its context; 0 if it had
 * none. */
static unsigned int loosen(const struct settling *one,
			   struct CUstream_st *stream, bool per_thread,
			   struct context **context)
{
	unsigned int number = 0;
	bool first, all;

	while (is_settling(one->key, one->context))
		thread_await(&settled, &change, NULL);
	streams_lock();
	first = stream_is_loose_now(one->context, one->key);
	all = streams_are_loose();
	if (first)
		number = streams_find(stream, per_thread, context);
	streams_unlock();
	if (number)
		stream_stop(number);
	if (first && all)
		streams_stop(is_any, NULL);
	return number;
}

void stream_loosens(struct CUstream_st *stream, bool per_thread)
{
	struct context *context = stream_place(stream);
	struct settling one = {.key = stream_order_key(stream, per_thread),
			       .context = context,
			       .thread = &this_thread};

	if (!serving_is_on())
		return;
	change_begin();
	if (loosen(&one, stream, per_thread, &context)) {
		one.next = settling;
		settling = &one;
		change_end();
		/* Of that stream alone: others' work may wait for the
		 * program. */
		if (backing_stream_bar(context->handle, stream, per_thread))
			fence_force(context->device);
		change_begin();
		settled_remove(&one);
	}
	change_end();
}

static bool is_of_context(const struct stream *stream, const void *context)
{
	return stream->context == context;
}

void streams_forget(const struct context *context)
{
	streams_stop(is_of_context, context);
}
