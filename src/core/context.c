/* The table of contexts. Records are never freed nor used again: a thread that
 * looked one up may still lock it, and finds it dead. A program makes few. */
#define HASH_NONFATAL_OOM 1
#include <stdlib.h>

#include "cache.h"
#include "capture.h"
#include "context.h"
#include "fence.h"
#include "context_current.h"
#include "green.h"
#include "mem.h"
#include "pools.h"
#include "real.h"
#include "thread.h"
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static struct context *table;
static struct context *dead; /* linked by next_dead */

static _Atomic int used;  /* devices with a context; changed under lock */
static _Atomic int alive; /* contexts that are not buried */

/* Under lock. */
static struct context *find(CUcontext handle)
{
	struct context *context;

	HASH_FIND_PTR(table, &handle, context);
	return context;
}

/* Under lock. False: no memory. */
static bool enter(struct context *context)
{
	HASH_ADD_PTR(table, handle, context);
	return context->hh.tbl;
}

/* Under lock. *fresh: it was not known. */
static struct context *note(CUcontext handle, int ordinal, bool *fresh)
{
	struct context *context = find(handle);

	*fresh = !context;
	if (context)
		return context;
	mem_guard_fork();
	context = calloc(1, sizeof(*context));
	if (!context)
		return NULL;
	context->handle = handle;
	context->device = device_at(ordinal);
	context->store.context = context;
	context->store.device = context->device;
	context->lock = (pthread_mutex_t)LOCK_SPINS;
	pthread_cond_init(&context->settled, NULL);
	if (!enter(context)) {
		free(context);
		return NULL;
	}
	if (!context->device->contexts++)
		used++;
	alive++;
	return context;
}

/* Under lock. Two calls may have ended it, and each knows. */
static void bury(struct context *context)
{
	if (find(context->handle) == context)
		HASH_DEL(table, context);
	if (!context->buried) {
		context->buried = true;
		if (!--context->device->contexts) {
			used--;
			context->device->lost = false;
		}
		alive--;
		context->next_dead = dead;
		dead = context;
	}
	handles_changed();
}

int device_count(void)
{
	return atomic_load_explicit(&used, memory_order_relaxed);
}

int context_count(void)
{
	return alive;
}

struct context *context_find(CUcontext handle)
{
	struct context *context;

	pthread_mutex_lock(&lock);
	context = find(handle);
	pthread_mutex_unlock(&lock);
	return context ? context : green_whole(handle);
}

struct context *context_whole(CUcontext handle)
{
	const struct real_driver *real = real_driver();

	if (!real || (!handle && real->cuCtxGetCurrent(&handle)))
		return NULL;
	return !handle || green_whole(handle) ? NULL : context_find(handle);
}

bool context_note_green(CUcontext handle, int ordinal)
{
	struct context *whole = context_primary(ordinal);

	return whole && green_note(handle, whole);
}

void context_forget_green(CUcontext handle)
{
	capture_context_ended(handle);
	green_forget(handle);
	handles_changed();
}

/* A handle that may be a second context's, of any device: two contexts share
 * no stream. Before it is noted, or another thread could take it for known. */
static void meet(CUcontext handle)
{
	if (alive && !context_find(handle))
		work_mixed();
}

/* The work of a second context may use what the first has handed out. */
static void join(struct context *context)
{
	caches_review(context->device);
	if (alive > 1)
		work_mixed();
	if (context->device->contexts > 1)
		fence_join(context->device, context);
}

void context_note(CUcontext handle, int ordinal, enum context_kind kind)
{
	struct context *context, *former = NULL;
	bool fresh;

	if (!handle || ordinal < 0 || ordinal >= DEVICE_MAX)
		return;
	meet(handle);
	pthread_mutex_lock(&lock);
	if (kind == CONTEXT_CREATED)
		former = find(handle); /* its end, or part of it, went unseen */
	if (former)
		bury(former);
	context = note(handle, ordinal, &fresh);
	if (context)
		context->kind = kind;
	pthread_mutex_unlock(&lock);
	if (former)
		pools_forget(former);
	if (context && fresh)
		join(context);
}

struct context *context_met(CUcontext handle, int ordinal)
{
	struct context *context;
	bool fresh;

	meet(handle);
	pthread_mutex_lock(&lock);
	context = note(handle, ordinal, &fresh);
	pthread_mutex_unlock(&lock);
	if (context && fresh)
		join(context);
	return context;
}

void context_enter(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	while (context->closing && !context->dead)
		pthread_cond_wait(&context->settled, &context->lock);
}

void context_leave(struct context *context)
{
	pthread_mutex_unlock(&context->lock);
}

static void closing_begin(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	context->closing++;
	pthread_mutex_unlock(&context->lock);
	caches_review(context->device);
}

static void closing_end(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	context->closing--;
	pthread_cond_broadcast(&context->settled);
	pthread_mutex_unlock(&context->lock);
	caches_review(context->device);
}

bool context_use(struct context *context)
{
	bool alive;

	context_enter(context);
	alive = !context->dead;
	context->busy += alive;
	context_leave(context);
	return alive;
}

void context_unuse(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	context->busy--;
	pthread_cond_broadcast(&context->settled);
	pthread_mutex_unlock(&context->lock);
}

/* After a reset, addresses that are being given back may be others', and
 * events are gone. */
static void busy_wait(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	while (context->busy)
		pthread_cond_wait(&context->settled, &context->lock);
	pthread_mutex_unlock(&context->lock);
}

struct context *context_close(CUcontext handle)
{
	struct context *context;

	pthread_mutex_lock(&lock);
	context = find(handle);
	if (context) {
		HASH_DEL(table, context);
		while (context->users)
			pthread_cond_wait(&released, &lock);
		closing_begin(context); /* users may wait for its end */
	}
	handles_changed();
	pthread_mutex_unlock(&lock);
	return context;
}

/* Under lock. The primary context of a device, or one that may be it. */
static struct context *find_primary(int ordinal)
{
	struct context *context, *unseen = NULL;

	for (context = table; context; context = context->hh.next) {
		if (device_ordinal(context->device) != ordinal)
			continue;
		if (context->kind == CONTEXT_PRIMARY)
			return context;
		if (context->kind == CONTEXT_UNSEEN)
			unseen = context;
	}
	return unseen;
}

struct context *context_primary(int ordinal)
{
	struct context *context;

	pthread_mutex_lock(&lock);
	context = find_primary(ordinal);
	pthread_mutex_unlock(&lock);
	return context;
}

struct context *context_close_primary(int ordinal)
{
	struct context *context;

	pthread_mutex_lock(&lock);
	context = find_primary(ordinal);
	if (context)
		closing_begin(context);
	pthread_mutex_unlock(&lock);
	if (context)
		busy_wait(context);
	return context;
}

void context_settle(struct context *context, bool ended)
{
	struct context *other = NULL;
	bool back = false;

	if (!context)
		return;
	pthread_mutex_lock(&lock);
	/* A thread may have noted the context anew meanwhile: if it ended, so
	 * does that record, and if a destroy failed, this one. */
	if (ended && !context->buried) {
		other = find(context->handle);
	} else if (!ended && find(context->handle) != context) {
		back = !context->buried && !find(context->handle) &&
		       enter(context);
		ended = !back;
	}
	if (ended)
		bury(context);
	if (other == context)
		other = NULL;
	if (other)
		bury(other);
	handles_changed();
	pthread_mutex_unlock(&lock);
	if (ended) {
		capture_context_ended(context->handle);
		pools_forget(context);
	}
	if (other)
		pools_forget(other);
	closing_end(context);
	/* The fence by which an order ended meanwhile has not found it. */
	if (back && context->device->ordered &&
	    !work_is_ordered(context->device))
		fence_force(context->device);
}

int context_hold(const struct device *device, struct context **list, int max)
{
	struct context *context;
	int count = 0;

	pthread_mutex_lock(&lock);
	for (context = table; context; context = context->hh.next) {
		if (device && !device_is_host(device) &&
		    context->device != device)
			continue;
		if (count == max)
			break;
		list[count++] = context;
		context->users++;
	}
	pthread_mutex_unlock(&lock);
	if (!context)
		return count;
	context_release(list, count);
	return -1;
}

void context_release(struct context **list, int count)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < count; i++)
		list[i]->users--;
	pthread_cond_broadcast(&released);
	pthread_mutex_unlock(&lock);
}

void stores_each(void (*visit)(struct store *store, void *arg), void *arg)
{
	pthread_mutex_lock(&lock);
	for (struct context *context = table; context;
	     context = context->hh.next) {
		pthread_mutex_lock(&context->lock);
		for (struct store *at = &context->store; at; at = at->next)
			visit(at, arg);
		pthread_mutex_unlock(&context->lock);
	}
	pthread_mutex_unlock(&lock);
}
