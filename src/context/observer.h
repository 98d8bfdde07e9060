/* What the layers above do when contexts come and go. */
#ifndef MNM_OBSERVER_H
#define MNM_OBSERVER_H

#include <stdbool.h>

struct CUctx_st;
struct context;
struct device;

struct context_observer {
	/* A context is about to be known beside another one. */
	void (*second_comes)(void);
	/* There is a new context; other threads get it once this returns.
	 * created: nobody has given it work. */
	void (*joined)(struct context *context, bool created);
	/* The handle of a context, or of a part of one, is gone. `ended`: a
	 * context is gone, with all that it had. */
	void (*handle_ended)(struct CUctx_st *handle);
	void (*ended)(struct context *context);
	/* A context lives on, and has memory of the device to give back. */
	void (*pends)(struct device *device);

	/* A handle may mean another context: each thread asks again. */
	void (*handles_changed)(void);
	/* The calling thread's current context is about to change. */
	void (*current_changes)(void);
	/* CUDA is asked now which context is current; then it is this one, or
	 * none (NULL). sure: it changes only where mnm sees it. */
	void (*lookup_begins)(void);
	void (*lookup_ended)(const struct context *context, bool sure);
	/* The context that was sure to be current, or NULL. was_wrong: it was
	 * not current after all. */
	struct context *(*was_sure)(void);
	void (*was_wrong)(void);
};

/* Sets the only observer, for good. Called before the first context is
 * known. */
void contexts_observe(const struct context_observer *observer);

/* That observer, or one that does nothing if none is set yet. */
const struct context_observer *contexts_observer(void);

#endif
