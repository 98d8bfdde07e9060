#include <pthread.h>

#include "block/block.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "epoch.h"
#include "fence.h"
#include "gate/gate.h"
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
} streams[STREAM_NUMBERS];

/* Streams that were given work out of their order; the first so many. */
enum { LOOSE_MAX = 64 };

/* Under lock. */
static struct loose {
	uintptr_t key;
	const struct context *context; /* NULL if the key is a handle */
} loose[LOOSE_MAX];
static int loose_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool all_loose; /* there are more of these */
static _Atomic bool per_thread_used;
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

/* Under lock. Returns NULL if the stream is not known to be loose. */
static struct loose *loose_find(const struct context *context, uintptr_t key)
{
	for (int i = 0; i < loose_count; i++)
		if (loose[i].key == key &&
		    (key > SOLE_PER_THREAD || loose[i].context == context))
			return &loose[i];
	return NULL;
}

/* Under lock. Whether what is freed in the stream has its order. */
static bool has_order(const struct context *context, uintptr_t key)
{
	if (all_loose || context->dead || loose_find(context, key))
		return false;
	return key != SOLE_LEGACY || !(context->legacy_joins ||
				       per_thread_used || context_is_opaque());
}

/* Under lock. Whether a number may be given to a stream. What was freed in the
 * order of its former stream is kept by it, so all of that has to be safe. */
static bool number_is_free(const struct stream *stream)
{
	return stream->key == SOLE_NONE &&
	       (!stream->context || stream->context->dead ||
		(stream->ended &&
		 stream->ended <= atomic_load(&stream->context->device->safe)));
}

/* Under lock. */
static unsigned int number_give(struct context *context, uintptr_t key)
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

	pthread_mutex_lock(&lock);
	context = stream->key == SOLE_NONE ? NULL : stream->context;
	if (context) {
		atomic_store(&stream->key, SOLE_NONE);
		atomic_fetch_add(&stream_changes, 1);
	}
	pthread_mutex_unlock(&lock);
	if (!context)
		return;
	calls_pass(context);
	pthread_mutex_lock(&lock);
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

	if (key == SOLE_PER_THREAD && !thread_is_watched())
		return 0;
	pthread_mutex_lock(&lock);
	number = number_find(context, key);
	pthread_mutex_unlock(&lock);
	if (number || (key > SOLE_PER_THREAD &&
		       !backing_stream_is_of(stream, context->handle)))
		return number;
	pthread_mutex_lock(&lock);
	number = number_find(context, key); /* another thread may have come */
	if (!number && has_order(context, key))
		number = number_give(context, key);
	pthread_mutex_unlock(&lock);
	return number;
}

static bool is_legacy_of(const struct stream *stream, const void *context)
{
	return stream->key == SOLE_LEGACY &&
	       (!context || stream->context == context);
}

void stream_made(struct context *context, bool waits)
{
	if (!context || !waits || atomic_load(&context->legacy_joins))
		return;
	/* First, so that no number is given from now on. */
	pthread_mutex_lock(&lock);
	atomic_store(&context->legacy_joins, true);
	pthread_mutex_unlock(&lock);
	numbers_stop(is_legacy_of, context);
}

void stream_per_thread_used(void)
{
	if (atomic_load_explicit(&per_thread_used, memory_order_relaxed) ||
	    !serving_is_on())
		return;
	pthread_mutex_lock(&lock);
	atomic_store(&per_thread_used, true);
	pthread_mutex_unlock(&lock);
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
	struct loose *was;

	if ((uintptr_t)stream <= SOLE_PER_THREAD || !streams_are_used())
		return;
	numbers_stop(is_handle, stream);
	pthread_mutex_lock(&lock);
	was = loose_find(NULL, (uintptr_t)stream);
	if (was)
		*was = loose[--loose_count];
	pthread_mutex_unlock(&lock);
}

/* Under lock. Returns false if it was noted before. */
static bool loose_note(const struct context *context, uintptr_t key)
{
	if (all_loose || loose_find(context, key))
		return false;
	if (loose_count < LOOSE_MAX)
		loose[loose_count++] = (struct loose){key, context};
	else
		atomic_store(&all_loose, true);
	return true;
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
	bool first;

	if (!serving_is_on())
		return;
	if (key <= SOLE_PER_THREAD)
		context = context_current();
	pthread_mutex_lock(&lock);
	first = loose_note(context, key);
	if (first)
		number = number_known(key, &context);
	pthread_mutex_unlock(&lock);
	if (number)
		number_stop(number);
	if (first && all_loose)
		numbers_stop(is_any, NULL);
	if (number)
		fence_force(context->device);
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

uint64_t streams_serial(unsigned int number)
{
	return streams[number].serial;
}
