/* What those above do when contexts come and go. */
#ifndef MNM_OBSERVER_H
#define MNM_OBSERVER_H

#include <stdbool.h>

struct CUctx_st;
struct context;
struct device;

struct context_observer {
	/* Another context than the first is about to be known. */
	void (*second_comes)(void);
	/* There is a context more, which other threads get when this returns.
	 * Created: nobody has given it work. */
	void (*joined)(struct context *context, bool created);
	/* A context, or a part of one, by its handle; then one with all that
	 * it had. */
	void (*handle_ended)(struct CUctx_st *handle);
	void (*ended)(struct context *context);
	/* One lives on, and has memory of the device to give back. */
	void (*pends)(struct device *device);

	/* A handle may mean another context: each thread asks again. */
	void (*handles_changed)(void);
	/* The calling thread's current context is about to change. */
	void (*current_changes)(void);
	/* Which it is is asked now; and it is this one, or NULL. Sure: it
	 * changes only where we see it. */
	void (*lookup_begins)(void);
	void (*lookup_ended)(const struct context *context, bool sure);
	/* The one that was sure to be current, or NULL; and it was not. */
	struct context *(*was_sure)(void);
	void (*was_wrong)(void);
};

/* There is one; it stays. Before the first context is known. */
void contexts_observe(const struct context_observer *observer);

/* That one; before, it does nothing. */
const struct context_observer *contexts_observer(void);

#endif
