/* Calls that use a context, and calls that may end it. Neither kind begins
 * before the other is over. A call that may end a context is the rarer one;
 * users wait for it only where nothing else will do. */
#include <pthread.h>
#include <stdatomic.h>

#include "context.h"
#include "context_use.h"
#include "gate/gate.h"
#include "preload/thread.h"

static _Atomic unsigned int awaited; /* threads in context_unused */

/* The contexts that this thread's own calls may end. What these calls call in
 * their turn does not wait for them. If more than ENDS_MAX calls are within
 * each other, the deeper ones wait. */
enum { ENDS_MAX = 8 };
static __thread struct context *own_ends[ENDS_MAX];

/* Whether this thread is itself in a call that may end the context. */
static bool is_ending_here(const struct context *context)
{
	for (int i = 0; i < ENDS_MAX; i++)
		if (own_ends[i] == context)
			return true;
	return false;
}

/* A call of this thread that may end a context begins, or is over. */
static void own_ends_change(const struct context *from, struct context *to)
{
	int i = 0;

	while (i < ENDS_MAX && own_ends[i] != from)
		i++;
	if (i < ENDS_MAX)
		own_ends[i] = to;
}

void context_enter(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	while (context->closing && !context->dead && !is_ending_here(context))
		thread_await(&context->settled, &context->lock, NULL);
}

bool context_serves(const struct context *context)
{
	return !context->dead && !context->closing;
}

bool context_enter_now(struct context *context)
{
	bool ending;

	pthread_mutex_lock(&context->lock);
	ending = context->closing && !context->dead;
	if (ending)
		pthread_mutex_unlock(&context->lock);
	return !ending;
}

void context_leave(struct context *context)
{
	pthread_mutex_unlock(&context->lock);
}

void context_await(struct context *context)
{
	context_enter(context);
	context_leave(context);
}

/* A call may not end the context while it is in use: afterwards, addresses that
 * are being given back may be others', and events are gone. Until nobody uses
 * it, the context is as any other: its users may wait for its work, and nobody
 * has to wait for them because of this call. */
void context_unused(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	atomic_fetch_add(&awaited, 1);
	while (context->busy)
		thread_await(&context->settled, &context->lock, NULL);
	atomic_fetch_sub(&awaited, 1);
	pthread_mutex_unlock(&context->lock);
}

bool contexts_awaited(void)
{
	return atomic_load(&awaited);
}

bool context_closing(struct context *context)
{
	bool begun;

	pthread_mutex_lock(&context->lock);
	begun = !context->busy;
	context->closing += begun;
	pthread_mutex_unlock(&context->lock);
	if (!begun)
		return false;
	own_ends_change(NULL, context);
	gate_recompute(context->device);
	return true;
}

void context_closed(struct context *context)
{
	own_ends_change(context, NULL);
	pthread_mutex_lock(&context->lock);
	context->closing--;
	pthread_cond_broadcast(&context->settled);
	pthread_mutex_unlock(&context->lock);
	gate_recompute(context->device);
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

enum context_state context_try(struct context *context)
{
	enum context_state state = CONTEXT_ALIVE;

	pthread_mutex_lock(&context->lock);
	if (context->dead)
		state = CONTEXT_DEAD;
	else if (context->closing && !is_ending_here(context))
		state = CONTEXT_ENDING;
	else
		context->busy++;
	pthread_mutex_unlock(&context->lock);
	return state;
}

void context_unuse(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	context->busy--;
	pthread_cond_broadcast(&context->settled);
	pthread_mutex_unlock(&context->lock);
}
