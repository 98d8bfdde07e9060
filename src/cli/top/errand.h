/* What takes long, in a thread of its own, so that keys are still answered. */
#ifndef MNM_ERRAND_H
#define MNM_ERRAND_H

#include <stdbool.h>

/* The first field of what an errand is about. Until it is done, all of that is
 * the thread's. */
struct errand {
	void (*run)(struct errand *errand); /* in the thread */
	/* To be called after errand_done has returned it. */
	void (*done)(struct errand *errand, void *arg);
};

/* To be called once. Returns the descriptor that has something to read when an
 * errand is done, or -1. */
int errands_open(void);

/* Returns false if it can't be started. */
bool errand_start(struct errand *errand);

/* An errand that is done; NULL if none is. */
struct errand *errand_done(void);

#endif
