#include <pthread.h>

#include "block/block.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "epoch.h"
#include "fence.h"
#include "gate/gate.h"
#include "legacy.h"
#include "loose.h"
#include "preload/serving.h"
#include "preload/thread.h"
#include "stream_order.h"
#include "stream_past.h"
#include "stream_table.h"

static struct stream streams[STREAM_NUMBERS]; /* changed under lock */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool parts_made;                  /* under lock */
static _Atomic unsigned int numbers_end; /* all that were given are below */

_Atomic unsigned int stream_changes;

/* Stands for the thread. Its streams end with it. */
static __thread char this_thread;
static struct once watch_once = ONCE_INIT;
static struct thread_key watch;

uintptr_t stream_order_key(struct CUstream_st *stream, bool per_thread)
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
	uintptr_t key = stream_order_key(stream, per_thread);
	bool has;

	pthread_mutex_lock(&lock);
	has = number && number == number_find(context, key);
	pthread_mutex_unlock(&lock);
	return has;
}

/* Under lock. Whether what is freed in the stream has its order. */
static bool has_order(const struct context *context, uintptr_t key)
{
	return !context->dead && !stream_is_loose(context, key) &&
	       !(parts_made && key <= SOLE_PER_THREAD);
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

/* Under lock. A number is about to be given to a stream of the context: the
 * legacy one passes those that wait for it. */
static void passes_begin(const struct context *context, uintptr_t key,
			 unsigned int number, bool waits)
{
	unsigned int legacy = number_find(context, SOLE_LEGACY);

	if (waits && legacy)
		past_waits(legacy, number, true);
	for (unsigned int i = 1; key == SOLE_LEGACY && i < numbers_end; i++)
		if (streams[i].key != SOLE_NONE && streams[i].waits &&
		    streams[i].context == context)
			past_waits(number, i, true);
}

/* Under lock. The number ends: what was queued in its stream may not be waited
 * for any more. */
static void passes_end(const struct context *context, unsigned int number)
{
	unsigned int legacy = number_find(context, SOLE_LEGACY);

	if (legacy)
		past_waits(legacy, number, false);
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
	passes_begin(context, key, number, waits);
	atomic_store(&context->device->has_streams, true);
	if (number >= numbers_end)
		atomic_store(&numbers_end, number + 1);
	streams[number].context = context;
	streams[number].thread = key == SOLE_PER_THREAD ? &this_thread : NULL;
	streams[number].ended = 0;
	streams[number].serial++;
	streams[number].waits = waits;
	atomic_store(&streams[number].mark, 0);
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

void stream_stop(unsigned int number)
{
	struct stream *stream = &streams[number];
	struct context *context;
	uint64_t serial;

	pthread_mutex_lock(&lock);
	context = stream->key == SOLE_NONE ? NULL : stream->context;
	serial = stream->serial;
	if (context) {
		passes_end(context, number);
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

void streams_stop(stream_is_fn *is, const void *arg)
{
	bool ends;

	for (unsigned int i = 1; i < numbers_end; i++) {
		if (atomic_load(&streams[i].key) == SOLE_NONE)
			continue;
		pthread_mutex_lock(&lock);
		ends = streams[i].key != SOLE_NONE && is(&streams[i], arg);
		pthread_mutex_unlock(&lock);
		if (ends)
			stream_stop(i);
	}
}

static bool is_threads(const struct stream *stream, const void *thread)
{
	return stream->thread == thread;
}

static void thread_ended(void *thread)
{
	if (serving_is_on()) /* not in a forked child */
		streams_stop(is_threads, thread);
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

unsigned int stream_follows(unsigned int number)
{
	unsigned int legacy = 0;

	pthread_mutex_lock(&lock);
	if (streams[number].waits && streams[number].key != SOLE_NONE)
		legacy = number_find(streams[number].context, SOLE_LEGACY);
	pthread_mutex_unlock(&lock);
	return legacy;
}

bool stream_waits(struct CUstream_st *stream, bool per_thread)
{
	uintptr_t key = stream_order_key(stream, per_thread);

	return key == SOLE_PER_THREAD ||
	       (key != SOLE_LEGACY && backing_stream_waits(stream));
}

unsigned int stream_number(struct context *context, struct CUstream_st *stream,
			   bool per_thread)
{
	uintptr_t key = stream_order_key(stream, per_thread);
	unsigned int number;
	bool waits = key == SOLE_PER_THREAD;

	if (key == SOLE_PER_THREAD) {
		stream_per_thread_used();
		if (!thread_is_watched())
			return 0;
	}
	pthread_mutex_lock(&lock);
	number = number_find(context, key);
	pthread_mutex_unlock(&lock);
	if (number || (key > SOLE_PER_THREAD &&
		       !backing_stream_is_of(stream, context->handle)))
		return number;
	if (key > SOLE_PER_THREAD) {
		waits = stream_waits(stream, per_thread);
		if (waits && !legacy_is_joined(context)) /* made unseen */
			stream_made(context, true);
	}
	pthread_mutex_lock(&lock);
	number = number_find(context, key); /* another thread may have come */
	if (!number && has_order(context, key))
		number = number_give(context, key, waits);
	pthread_mutex_unlock(&lock);
	return number;
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

void streams_have_parts(void)
{
	parts_made = true;
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
	return number_known(stream_order_key(stream, per_thread), context);
}

bool streams_wait_for_legacy(unsigned int number)
{
	return streams[number].waits;
}

const struct context *streams_context(unsigned int number)
{
	return streams[number].key == SOLE_NONE ? NULL
						: streams[number].context;
}

uint64_t streams_mark(unsigned int number)
{
	return atomic_load(&streams[number].mark);
}

void streams_mark_set(unsigned int number, uint64_t mark)
{
	atomic_store(&streams[number].mark, mark);
}

uint64_t streams_serial(unsigned int number)
{
	return streams[number].serial;
}
