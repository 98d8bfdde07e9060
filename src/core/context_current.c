/* Which context the calling thread has current. */
#include <stdatomic.h>

#include "backing.h"
#include "cache.h"
#include "calls.h"
#include "context.h"
#include "context_current.h"
#include "real.h"

/* Counts changes after which a handle may mean another context. */
static _Atomic uint64_t generation = 1;

/* A door was opened by which the current context may change unseen. */
static _Atomic bool doubted;

/* What this thread saw last. */
static __thread struct {
	CUcontext handle;
	uint64_t generation;
	struct context *context;
} seen;

void handles_changed(void)
{
	atomic_fetch_add(&generation, 1);
	caches_ask();
	caches_review(NULL);
}

void context_unsure(void)
{
	cache_unsure();
}

void context_doubt(void)
{
	static _Atomic bool told; /* to all threads, not before */

	if (atomic_load(&told))
		return;
	atomic_store(&doubted, true);
	caches_ask();
	atomic_store(&told, true);
}

bool context_is_doubted(void)
{
	return doubted;
}

/* As context_current, of a handle that was current in that generation. */
static struct context *current_known(CUcontext handle, uint64_t now)
{
	struct context *context;
	CUdevice ordinal = 0;

	if (seen.handle == handle && seen.generation == now)
		return seen.context;
	context = context_find(handle);
	if (!context) {
		if (real_driver()->cuCtxGetDevice(&ordinal) || ordinal < 0 ||
		    ordinal >= DEVICE_MAX)
			return NULL;
		context = context_met(handle, ordinal);
	}
	seen.handle = context ? handle : NULL;
	seen.generation = now;
	seen.context = context;
	return context;
}

struct context *context_current(void)
{
	const struct real_driver *real = real_driver();
	const struct context *sure = cache_sure_of();
	uint64_t now = atomic_load(&generation);
	struct context *context = NULL;
	CUcontext handle = NULL;

	cache_asking();
	if (real && !real->cuCtxGetCurrent(&handle) && handle)
		context = current_known(handle, now);
	if (sure && context != sure && sure == cache_sure_of()) {
		context_doubt(); /* there is a door that we don't see */
		calls_unseen();
	}
	cache_asked(context, !doubted);
	return context;
}

struct context *context_named(CUcontext handle)
{
	struct context *context = context_find(handle);
	int ordinal;

	if (context || !handle || !real_driver() ||
	    backing_context_device(handle, &ordinal) || ordinal < 0 ||
	    ordinal >= DEVICE_MAX)
		return context;
	return context_met(handle, ordinal);
}
