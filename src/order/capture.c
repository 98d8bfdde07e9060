#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include <cuda.h>

#include "gate/gate.h"
#include "capture.h"
#include "preload/serving.h"
#include "preload/thread.h"
#include "stream_order.h"

enum { QUIET_SECONDS = 1 }; /* how long a start waits for calls of ours */

struct capture {
	struct capture *next;
	const void *stream; /* its handle, or its thread's `here` */
	struct capture_place place;
};

static const struct capture_observer *_Atomic observer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
/* Under lock. */
static _Atomic int count; /* captures that are on, or expected */
static int quiet;         /* threads that block captures */
static struct capture *captures;

/* The address stands for the thread's own default stream, which is another
 * stream in each context. */
static __thread char here;

static struct once watch_once = ONCE_INIT;
static struct thread_key watch; /* set in threads that captured their own */

static const void *stream_key(CUstream stream, bool per_thread)
{
	if (stream == CU_STREAM_PER_THREAD || (!stream && per_thread))
		return &here;
	return stream;
}

void captures_observe(const struct capture_observer *to)
{
	atomic_store(&observer, to);
}

bool capture_any(void)
{
	return atomic_load(&count);
}

/* Under lock. A call of ours that takes longer was let in long ago, and is
 * stuck in the driver: a queue is full that perhaps only the caller's next step
 * empties. Without us a start would not wait for it. */
static void quiet_await(void)
{
	struct timespec until;
	bool late = false;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += QUIET_SECONDS;
	while (quiet && !late)
		late = thread_await(&changed, &lock, &until);
}

void capture_expect(void)
{
	stream_order_bar(); /* no fence can be made later */
	pthread_mutex_lock(&lock);
	if (!count) /* first: what is freed in a capture has to find a place */
		atomic_load(&observer)->first_begins();
	if (!count++)
		gate_recompute(NULL);
	quiet_await();
	pthread_mutex_unlock(&lock);
	stream_order_unbar();
}

/* Under lock. */
static void count_drop(void)
{
	if (--count)
		return;
	atomic_load(&observer)->last_ended();
	gate_recompute(NULL);
}

void capture_refused(void)
{
	pthread_mutex_lock(&lock);
	count_drop();
	pthread_mutex_unlock(&lock);
}

/* NULL matches any stream, or any context; not both are NULL. */
static bool capture_is_of(const struct capture *capture, const void *stream,
			  CUcontext context)
{
	if (stream && capture->stream != stream)
		return false;
	return !context || capture->place.context == context ||
	       (!stream && capture->place.whole == context);
}

/* Under lock. Removes the captures of a stream, in one context or in all
 * (NULL). If the stream is NULL, removes those of a context and its parts. */
static void captures_drop(const void *stream, CUcontext context)
{
	struct capture **at = &captures, *capture;

	while ((capture = *at)) {
		if (!capture_is_of(capture, stream, context)) {
			at = &capture->next;
			continue;
		}
		*at = capture->next;
		free(capture);
		count_drop();
	}
}

bool capture_makes_graph(CUstream stream, bool per_thread, CUcontext context)
{
	const void *key = stream_key(stream, per_thread);
	const struct capture *capture;

	pthread_mutex_lock(&lock);
	capture = captures;
	while (capture &&
	       !capture_is_of(capture, key, key == &here ? context : NULL))
		capture = capture->next;
	pthread_mutex_unlock(&lock);
	return capture && !capture->place.into;
}

/* The thread exits, and its own stream ends with it. */
static void own_ended(void *stream)
{
	if (!serving_is_on()) /* a forked child, where locks may stay held */
		return;
	pthread_mutex_lock(&lock);
	captures_drop(stream, NULL);
	pthread_mutex_unlock(&lock);
}

static void watch_make(void)
{
	thread_key_open(&watch, own_ended);
}

void capture_begun(CUstream stream, bool per_thread, struct capture_place place)
{
	const void *key = stream_key(stream, per_thread);
	struct capture *capture = malloc(sizeof(*capture));

	/* Without memory the capture stays counted, and reuse is held up for
	 * good. */
	if (!capture)
		return;
	capture->stream = key;
	capture->place = place;
	pthread_mutex_lock(&lock);
	capture->next = captures;
	captures = capture;
	pthread_mutex_unlock(&lock);
	if (key != &here)
		return;
	once_run(&watch_once, watch_make);
	thread_key_set(&watch, &here);
}

void capture_ended(CUstream stream, bool per_thread, CUcontext context,
		   CUgraph graph)
{
	const void *key = stream_key(stream, per_thread);

	if (!key)
		return;
	pthread_mutex_lock(&lock);
	if (graph)
		atomic_load(&observer)->graph_made(graph);
	captures_drop(key, key == &here ? context : NULL);
	pthread_mutex_unlock(&lock);
}

void capture_context_ended(CUcontext context)
{
	pthread_mutex_lock(&lock);
	captures_drop(NULL, context);
	pthread_mutex_unlock(&lock);
}

bool capture_block(void)
{
	bool granted;

	pthread_mutex_lock(&lock);
	granted = !count;
	quiet += granted;
	pthread_mutex_unlock(&lock);
	return granted;
}

void capture_unblock(void)
{
	pthread_mutex_lock(&lock);
	if (!--quiet)
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}
