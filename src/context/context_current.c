/* Which context is current in the calling thread. */
#include <stdatomic.h>

#include "cuda/backing.h"
#include "context.h"
#include "context_current.h"
#include "observer.h"
#include "cuda/real.h"

/* Counts changes after which a handle may mean another context. */
static _Atomic uint64_t generation = 1;

/* An entry point was opened that may change the current context unseen. */
static _Atomic bool opaque;

/* What this thread saw last. */
static __thread struct {
	CUcontext handle;
	uint64_t generation;
	struct context *context;
} seen;

void handles_changed(void)
{
	atomic_fetch_add(&generation, 1);
	contexts_observer()->handles_changed();
}

void context_invalidate(void)
{
	contexts_observer()->current_changes();
}

void context_opaque(void)
{
	static _Atomic bool told; /* set after all threads know it */

	if (atomic_load(&told))
		return;
	atomic_store(&opaque, true);
	contexts_observer()->handles_changed();
	atomic_store(&told, true);
}

bool context_is_opaque(void)
{
	return opaque;
}

/* As context_current, for a handle that was current in that generation. */
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
		context = context_get_or_create(handle, ordinal);
	}
	seen.handle = context ? handle : NULL;
	seen.generation = now;
	seen.context = context;
	return context;
}

struct context *context_current(void)
{
	const struct real_driver *real = real_driver();
	const struct context_observer *observer = contexts_observer();
	const struct context *sure = observer->was_sure();
	uint64_t now = atomic_load(&generation);
	struct context *context = NULL;
	CUcontext handle = NULL;

	observer->lookup_begins();
	if (real && !real->cuCtxGetCurrent(&handle) && handle)
		context = current_known(handle, now);
	if (sure && context != sure && sure == observer->was_sure()) {
		context_opaque(); /* there is an entry that we don't see */
		observer->was_wrong();
	}
	observer->lookup_ended(context, !opaque);
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
	return context_get_or_create(handle, ordinal);
}
