/* Who is at a context, and who may be ending it. Of the two, neither begins
 * before the other is over; a call that may end it is the rarer one, and it
 * alone is waited for where nothing else will do. */
#include <pthread.h>

#include "cache.h"
#include "context.h"
#include "context_use.h"

void context_enter(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	while (context->closing && !context->dead)
		pthread_cond_wait(&context->settled, &context->lock);
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

/* After the end, addresses that are being given back may be others', and events
 * are gone. Until nobody uses it, the context is as any other: who does may
 * wait for its work, and nobody is to wait for them because of this. */
void context_unused(struct context *context)
{
	pthread_mutex_lock(&context->lock);
	while (context->busy)
		pthread_cond_wait(&context->settled, &context->lock);
	pthread_mutex_unlock(&context->lock);
}

bool context_closing(struct context *context)
{
	bool begun;

	pthread_mutex_lock(&context->lock);
	begun = !context->busy;
	context->closing += begun;
	pthread_mutex_unlock(&context->lock);
	if (begun)
		caches_review(context->device);
	return begun;
}

void context_closed(struct context *context)
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

enum context_state context_try(struct context *context)
{
	enum context_state state = CONTEXT_ALIVE;

	pthread_mutex_lock(&context->lock);
	if (context->dead)
		state = CONTEXT_DEAD;
	else if (context->closing)
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
