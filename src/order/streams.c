#include <pthread.h>

#include "block/block.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "epoch.h"
#include "fence.h"
#include "gate/gate.h"
#include "loose.h"
#include "preload/serving.h"
#include "preload/thread.h"
#include "stream_order.h"
#include "stream_past.h"
#include "streams.h"

/* Who has a number. Changed under lock; the key is read without it. */
static struct stream {
	_Atomic uintptr_t key; /* as in stream_order.h; SOLE_NONE: nobody */
	struct context *context;
	const void *thread; /* whose default stream it is; or NULL */
	uint64_t ended;     /* the number was its own up to this epoch; or 0 */
	uint64_t serial;    /* which stream with this number it is */
	bool waits;         /* for the legacy stream */
} streams[STREAM_NUMBERS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool per_thread_used;
static _Atomic bool per_thread_told;     /* no number says otherwise */
static _Atomic bool parts_made;          /* see stream_part_made */
static _Atomic unsigned int numbers_end; /* all that were given are below */

_Atomic unsigned int stream_changes;

/* Stands for the thread. Its streams end with it. */
static __thread char this_thread;
static struct once watch_once = ONCE_INIT;
static struct thread_key watch;

static uintptr_t key_of(struct CUstream_st *stream, bool per_thread)
{
	return stream       ? (uintptr_t)stream
	       : per_thread ? SOLE_PER_THREAD
			    : SOLE_LEGACY;
}

/* Under lock. */
static unsigned int number_find(const struct context *context, uintptr_t key)
{
	const void *thread = key == SOLE_PER_THREAD ? &this_thread : NULL;

	for (unsigned int i = 1; i < numbers_end; i++)
		if (streams[i].key == key && streams[i].context == context &&
		    streams[i].thread == thread)
			return i;
	return 0;
}

bool stream_has_number(unsigned int number, const struct context *context,
		       struct CUstream_st *stream, bool per_thread)
{
	uintptr_t key = key_of(stream, per_thread);
	bool has;

	pthread_mutex_lock(&lock);
	has = number && number == number_find(context, key);
	pthread_mutex_unlock(&lock);
	return has;
}

/* Under lock. Whether what is freed in the stream has its order. */
static bool has_order(const struct context *context, uintptr_t key)
{
	if (context->dead || stream_is_loose(context, key) ||
	    (parts_made && key <= SOLE_PER_THREAD))
		return false;
	return key != SOLE_LEGACY || !(context->legacy_joins ||
				       per_thread_used || context_is_opaque());
}

/* The epoch below which what was freed is safe for good. While one stream's
 * order makes all safe, or level none does, that may end without a fence. */
static uint64_t safe_for_good(const struct device *device)
{
	uint64_t safe = atomic_load(&device->safe);

	return safe == UINT64_MAX ? atomic_load(&device->over) : safe;
}

/* Under lock. Whether a number may be given to a stream. What was freed in the
 * order of its former stream is kept by it, so all of that has to be safe. */
static bool number_is_free(const struct stream *stream)
{
	return stream->key == SOLE_NONE &&
	       (!stream->context || stream->context->dead ||
		(stream->ended &&
		 stream->ended <= safe_for_good(stream->context->device)));
}

/* Under lock. */
static unsigned int number_give(struct context *context, uintptr_t key,
				bool waits)
{
	unsigned int number = 1;

	while (number < STREAM_NUMBERS && !number_is_free(&streams[number]))
		number++;
	if (number == STREAM_NUMBERS)
		return 0;
	stream_past_clear(number);
	atomic_store(&context->device->has_streams, true);
	if (number >= numbers_end)
		atomic_store(&numbers_end, number + 1);
	streams[number].context = context;
	streams[number].thread = key == SOLE_PER_THREAD ? &this_thread : NULL;
	streams[number].ended = 0;
	streams[number].serial++;
	streams[number].waits = waits;
	atomic_store(&streams[number].key, key);
	return number;
}

/* Waits until no call is under way that has seen a number which has ended. */
static void calls_pass(struct context *context)
{
	gate_pass();
	pthread_mutex_lock(&context->lock);
	pthread_mutex_unlock(&context->lock);
}

/* Ends a number: nothing is freed in the order of its stream any more. */
static void number_stop(unsigned int number)
{
	struct stream *stream = &streams[number];
	struct context *context;
	uint64_t serial;

	pthread_mutex_lock(&lock);
	context = stream->key == SOLE_NONE ? NULL : stream->context;
	serial = stream->serial;
	if (context) {
		atomic_store(&stream->key, SOLE_NONE);
		atomic_fetch_add(&stream_changes, 1);
	}
	pthread_mutex_unlock(&lock);
	if (!context)
		return;
	calls_pass(context);
	pthread_mutex_lock(&lock);
	if (stream->serial == serial) /* else the context has died meanwhile */
		stream->ended = epoch_next(context->device);
	pthread_mutex_unlock(&lock);
}

/* Ends the numbers of streams for which is() holds. */
static void numbers_stop(bool (*is)(const struct stream *stream,
				    const void *arg),
			 const void *arg)
{
	bool ends;

	for (unsigned int i = 1; i < numbers_end; i++) {
		if (atomic_load(&streams[i].key) == SOLE_NONE)
			continue;
		pthread_mutex_lock(&lock);
		ends = streams[i].key != SOLE_NONE && is(&streams[i], arg);
		pthread_mutex_unlock(&lock);
		if (ends)
			number_stop(i);
	}
}

static bool is_threads(const struct stream *stream, const void *thread)
{
	return stream->thread == thread;
}

static void thread_ended(void *thread)
{
	if (serving_is_on()) /* not in a forked child */
		numbers_stop(is_threads, thread);
}

static void watch_open(void)
{
	thread_key_open(&watch, thread_ended);
}

/* Whether a stream of the thread's own will end with the thread. */
static bool thread_is_watched(void)
{
	once_run(&watch_once, watch_open);
	if (watch.open)
		thread_key_set(&watch, &this_thread);
	return watch.open;
}

unsigned int stream_number(struct context *context, struct CUstream_st *stream,
			   bool per_thread)
{
	uintptr_t key = key_of(stream, per_thread);
	unsigned int number;
	bool waits = key == SOLE_PER_THREAD;

	if (key == SOLE_PER_THREAD && !thread_is_watched())
		return 0;
	pthread_mutex_lock(&lock);
	number = number_find(context, key);
	pthread_mutex_unlock(&lock);
	if (number || (key > SOLE_PER_THREAD &&
		       !backing_stream_is_of(stream, context->handle)))
		return number;
	if (key > SOLE_PER_THREAD)
		waits = backing_stream_waits(stream);
	pthread_mutex_lock(&lock);
	number = number_find(context, key); /* another thread may have come */
	if (!number && has_order(context, key))
		number = number_give(context, key, waits);
	pthread_mutex_unlock(&lock);
	return number;
}

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

void stream_made(struct context *context, bool waits)
{
	bool first;

	if (!context || !waits || !serving_is_on())
		return;
	change_begin();
	/* First, so that no number is given from now on. */
	pthread_mutex_lock(&lock);
	first = !atomic_exchange(&context->legacy_joins, true);
	pthread_mutex_unlock(&lock);
	if (first)
		numbers_stop(is_legacy_of, context);
	change_end();
}

void stream_per_thread_used(void)
{
	if (atomic_load_explicit(&per_thread_told, memory_order_acquire) ||
	    !serving_is_on())
		return;
	change_begin();
	pthread_mutex_lock(&lock);
	atomic_store(&per_thread_used, true);
	pthread_mutex_unlock(&lock);
	numbers_stop(is_legacy_of, NULL);
	atomic_store(&per_thread_told, true);
	change_end();
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
	pthread_mutex_lock(&lock);
	atomic_store(&parts_made, true);
	pthread_mutex_unlock(&lock);
	numbers_stop(is_default, NULL);
	change_end();
}

void stream_calls_unseen(void)
{
	static _Atomic bool told;

	if (serving_is_on() && !atomic_exchange(&told, true))
		numbers_stop(is_legacy_of, NULL);
}

bool streams_are_used(void)
{
	return atomic_load_explicit(&numbers_end, memory_order_relaxed) &&
	       serving_is_on();
}

struct context *stream_place(const struct CUstream_st *stream)
{
	return (uintptr_t)stream <= SOLE_PER_THREAD ? context_current() : NULL;
}

static bool is_handle(const struct stream *stream, const void *handle)
{
	return stream->key == (uintptr_t)handle;
}

void stream_ends(struct CUstream_st *stream)
{
	if ((uintptr_t)stream <= SOLE_PER_THREAD || !streams_are_used())
		return;
	numbers_stop(is_handle, stream);
	pthread_mutex_lock(&lock);
	stream_was_loose((uintptr_t)stream);
	pthread_mutex_unlock(&lock);
}

static bool is_any(const struct stream *stream, const void *unused)
{
	(void)stream;
	(void)unused;
	return true;
}

/* Under lock. The number of a stream, and its context. */
static unsigned int number_known(uintptr_t key, struct context **context)
{
	unsigned int number = key > SOLE_PER_THREAD ? 1 : numbers_end;

	while (number < numbers_end && streams[number].key != key)
		number++;
	if (number >= numbers_end)
		number = *context ? number_find(*context, key) : 0;
	else
		*context = streams[number].context;
	return number;
}

void stream_loosens(struct CUstream_st *stream, bool per_thread)
{
	uintptr_t key = key_of(stream, per_thread);
	struct context *context = NULL;
	unsigned int number = 0;
	bool first, all;

	if (!serving_is_on())
		return;
	if (key <= SOLE_PER_THREAD)
		context = context_current();
	change_begin();
	pthread_mutex_lock(&lock);
	first = stream_is_loose_now(context, key);
	all = streams_are_loose();
	if (first)
		number = number_known(key, &context);
	pthread_mutex_unlock(&lock);
	if (number)
		number_stop(number);
	if (first && all)
		numbers_stop(is_any, NULL);
	/* Of that stream alone: work of others may wait for the program. */
	if (number && backing_stream_bar(context->handle, stream, per_thread))
		fence_force(context->device);
	change_end();
}

static bool is_of_context(const struct stream *stream, const void *context)
{
	return stream->context == context;
}

void streams_forget(const struct context *context)
{
	numbers_stop(is_of_context, context);
}

void streams_lock(void)
{
	pthread_mutex_lock(&lock);
}

void streams_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

unsigned int streams_end(void)
{
	return numbers_end;
}

unsigned int streams_find(struct CUstream_st *stream, bool per_thread,
			  struct context **context)
{
	return number_known(key_of(stream, per_thread), context);
}

bool streams_wait_for_legacy(unsigned int number)
{
	return streams[number].waits;
}

uint64_t streams_serial(unsigned int number)
{
	return streams[number].serial;
}
