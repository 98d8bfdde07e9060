/* The table of contexts. Records are never freed nor reused: a thread that has
 * looked one up may still lock it, and finds it dead. A program makes few
 * contexts. */
#include <stdlib.h>

#include "context.h"
#include "context_current.h"
#include "context_use.h"
#include "green_context.h"
#include "observer.h"
#include "preload/serving.h"
#include "cuda/real.h"
#include "preload/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *table; /* in the order of their numbers */
static uint64_t numbers;      /* given so far; under lock */
static struct context *dead;  /* linked by next_unlinked */

static pthread_cond_t known = PTHREAD_COND_INITIALIZER;
static __thread bool joining; /* the calling thread is in context_join */

static _Atomic int used;  /* devices with a context; changed under lock */
static _Atomic int alive; /* contexts that are not unlinked */

/* Under lock. */
static struct context *context_table_find(CUcontext handle)
{
	struct context *context;

	HASH_FIND_PTR(table, &handle, context);
	return context;
}

/* Under lock. Returns false if there is no memory. */
static bool context_table_enter(struct context *context)
{
	HASH_ADD_PTR(table, handle, context);
	return context->hh.tbl;
}

/* Under lock. *fresh says whether the handle was not known. */
static struct context *context_table_note(CUcontext handle, int ordinal,
					  bool *fresh)
{
	struct context *context = context_table_find(handle);

	*fresh = !context;
	if (context)
		return context;
	serving_guard_fork();
	context = calloc(1, sizeof(*context));
	if (!context)
		return NULL;
	context->handle = handle;
	context->number = ++numbers;
	context->device = device_at(ordinal);
	context->heap.context = context;
	context->heap.device = context->device;
	context->lock = (pthread_mutex_t)LOCK_SPINS;
	context->legacy_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_init(&context->settled, NULL);
	if (!context_table_enter(context)) {
		free(context);
		return NULL;
	}
	if (!context->device->contexts++)
		used++;
	alive++;
	return context;
}

/* Under lock. Two calls may have ended the context, and each knows it: returns
 * false for the second. */
static bool unlink_context(struct context *context)
{
	if (context->unlinked)
		return false;
	HASH_DEL(table, context);
	context->unlinked = true;
	if (!--context->device->contexts) {
		used--;
		context->device->lost = false;
	}
	alive--;
	context->next_unlinked = dead;
	dead = context;
	handles_changed();
	return true;
}

/* The context has been unlinked. */
static void context_forget(struct context *context)
{
	contexts_observer()->handle_ended(context->handle);
	contexts_observer()->ended(context);
}

int device_count(void)
{
	return atomic_load_explicit(&used, memory_order_relaxed);
}

int context_count(void)
{
	return alive;
}

/* Nobody gets the context before the layers above know it. They see to it that
 * its work comes after that of the other contexts, which share no stream with
 * it. */
static void context_join(struct context *context, bool created)
{
	bool outer = joining; /* in a tool's call, within one of ours */

	joining = true;
	contexts_observer()->joined(context, created);
	joining = outer;
	pthread_mutex_lock(&lock);
	atomic_store(&context->known, true);
	pthread_cond_broadcast(&known);
	pthread_mutex_unlock(&lock);
}

/* Another thread may be in context_join for this context. */
static struct context *await_known(struct context *context)
{
	if (!context || atomic_load(&context->known) || joining)
		return context;
	pthread_mutex_lock(&lock);
	while (!context->known)
		thread_await(&known, &lock, NULL);
	pthread_mutex_unlock(&lock);
	return context;
}

struct context *context_find(CUcontext handle)
{
	struct context *context;

	pthread_mutex_lock(&lock);
	context = context_table_find(handle);
	pthread_mutex_unlock(&lock);
	return context ? await_known(context) : green_whole(handle);
}

struct context *context_whole(CUcontext handle)
{
	const struct real_driver *real = real_driver();

	if (!real || (!handle && real->cuCtxGetCurrent(&handle)))
		return NULL;
	return !handle || green_whole(handle) ? NULL : context_find(handle);
}

bool context_register_green(CUcontext handle, int ordinal)
{
	struct context *whole = context_primary(ordinal);

	return whole && green_register(handle, whole);
}

void context_forget_green(CUcontext handle)
{
	contexts_observer()->handle_ended(handle);
	green_forget(handle);
	handles_changed();
}

/* The handle may be that of a second context. What ends because of a second
 * context ends while the first is still the only one: that costs less. */
static void context_meet(CUcontext handle)
{
	if (alive && !context_find(handle))
		contexts_observer()->second_comes();
}

void context_register(CUcontext handle, int ordinal, enum context_kind kind)
{
	struct context *context, *former = NULL;
	bool fresh;

	if (!handle || ordinal < 0 || ordinal >= DEVICE_MAX)
		return;
	context_meet(handle);
	pthread_mutex_lock(&lock);
	if (kind == CONTEXT_CREATED)
		former = context_table_find(
			handle); /* its end, or a part of that, was not seen */
	if (former)
		unlink_context(former);
	context = context_table_note(handle, ordinal, &fresh);
	if (context)
		context->kind = kind;
	pthread_mutex_unlock(&lock);
	if (former)
		context_forget(former);
	if (context && fresh)
		context_join(context, kind == CONTEXT_CREATED);
}

struct context *context_get_or_create(CUcontext handle, int ordinal)
{
	struct context *context;
	bool fresh;

	context_meet(handle);
	pthread_mutex_lock(&lock);
	context = context_table_note(handle, ordinal, &fresh);
	pthread_mutex_unlock(&lock);
	if (context && fresh)
		context_join(context, false);
	return await_known(context);
}

struct context *context_end_begin(CUcontext handle)
{
	struct context *context;

	pthread_mutex_lock(&lock);
	context = context_table_find(handle);
	pthread_mutex_unlock(&lock);
	while (context && !context_closing(context))
		context_unused(context);
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

bool context_end_begin_primary(int ordinal, struct context **context)
{
	*context = context_primary(ordinal);
	return !*context || context_closing(*context);
}

/* Announces what polls have left while it was not known whether the context
 * would end. */
static void announce_pending(struct context *context)
{
	bool pending;

	for (struct heap *at = &context->heap; at; at = at->next) {
		pthread_mutex_lock(&context->lock);
		pending = at->pending;
		pthread_mutex_unlock(&context->lock);
		if (pending)
			contexts_observer()->pends(at->device);
	}
}

void context_end_finish(struct context *context, bool ended)
{
	bool first;

	if (!context)
		return;
	if (ended) {
		pthread_mutex_lock(&lock);
		first = unlink_context(context);
		pthread_mutex_unlock(&lock);
		if (first)
			context_forget(context);
	}
	context_closed(context);
	if (!ended)
		announce_pending(context);
}

bool context_uses(const struct context *context, const struct device *device)
{
	return context->device == device || device->shared ||
	       (device->has_peers &&
		context->peer_of >> device_ordinal(device) & 1);
}

static bool context_is_of(const struct context *context,
			  const struct device *device)
{
	return context->device == device;
}

typedef bool wanted_fn(const struct context *context,
		       const struct device *device);

/* As contexts_of, for the contexts whose numbers are above `last`. */
static int list_those(wanted_fn *wanted, const struct device *device,
		      uint64_t last, struct context **list, int max)
{
	bool all = !device || device_is_host(device);
	int count = 0;

	pthread_mutex_lock(&lock);
	for (struct context *context = table; context && count <= max;
	     context = context->hh.next) {
		if (context->number <= last ||
		    (!all && !wanted(context, device)))
			continue;
		if (count < max)
			list[count] = context;
		count++;
	}
	pthread_mutex_unlock(&lock);
	return count <= max ? count : -1;
}

int contexts_of(const struct device *device, struct context **list, int max)
{
	return list_those(context_is_of, device, 0, list, max);
}

int contexts_using(const struct device *device, struct context **list, int max)
{
	return list_those(context_uses, device, 0, list, max);
}

static struct context *walk_next(struct context_walk *walk, wanted_fn *wanted,
				 const struct device *device)
{
	if (walk->at == walk->count && !walk->over) {
		walk->count = list_those(wanted, device, walk->last, walk->list,
					 CONTEXTS_LISTED);
		walk->over = walk->count >= 0;
		if (!walk->over)
			walk->count = CONTEXTS_LISTED;
		if (walk->count)
			walk->last = walk->list[walk->count - 1]->number;
		walk->at = 0;
	}
	return walk->at < walk->count ? walk->list[walk->at++] : NULL;
}

struct context *context_next_of(struct context_walk *walk,
				const struct device *device)
{
	return walk_next(walk, context_is_of, device);
}

struct context *context_next_using(struct context_walk *walk,
				   const struct device *device)
{
	return walk_next(walk, context_uses, device);
}

void heaps_each(void (*visit)(struct heap *heap, void *arg), void *arg)
{
	pthread_mutex_lock(&lock);
	for (struct context *context = table; context;
	     context = context->hh.next) {
		pthread_mutex_lock(&context->lock);
		for (struct heap *at = &context->heap; at; at = at->next)
			visit(at, arg);
		pthread_mutex_unlock(&context->lock);
	}
	pthread_mutex_unlock(&lock);
}
