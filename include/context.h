/* Contexts and devices that the program uses.
 *
 * Memory belongs to a context; the choice of a pool, the counters and the
 * epochs belong to its device. */
#ifndef MNM_CONTEXT_H
#define MNM_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uthash.h>

#include "counter_list.h"
#include "option.h"

struct CUctx_st;
struct block;
struct pool;

enum counter {
#define COUNTER(name, unit, help) COUNTER_##name,
	COUNTER_LIST
#undef COUNTER
		COUNTER_MAX
};

struct device {
	_Atomic bool used;      /* a request came for it */
	_Atomic int choice;     /* row of its pool */
	_Atomic uint64_t epoch; /* that frees are stamped with now */
	_Atomic uint64_t safe;  /* blocks of epochs below may be reused */
	_Atomic int giving;     /* threads that are giving blocks back */
	_Atomic uint64_t counters[COUNTER_MAX];
};

struct context {
	struct CUctx_st *handle; /* the key */
	struct device *device;
	bool primary;
	unsigned int users; /* under the table's lock: see context_hold */
	pthread_mutex_t lock;
	/* Under lock. */
	bool dead;             /* destroyed; its blocks are forgotten */
	struct pool *pools;    /* the active one first; NULL before use */
	struct block *pending; /* idle blocks to give back */
	UT_hash_handle hh;
	struct context *next_dead;
};

/* The device of an ordinal from 0 to DEVICE_MAX - 1. */
struct device *device_at(int ordinal);
int device_ordinal(const struct device *device);

void counter_add(struct device *device, enum counter counter, uint64_t n);
void counter_sub(struct device *device, enum counter counter, uint64_t n);
uint64_t counter_get(const struct device *device, enum counter counter);
/* Stores next if the value is still *now; else *now is the value. */
bool counter_replace(struct device *device, enum counter counter, uint64_t *now,
		     uint64_t next);
/* Adds n and lifts the peak to the new value. */
void counter_add_peak(struct device *device, enum counter counter,
		      enum counter peak, uint64_t n);

/* The calling thread's current context; made at first sight. NULL: there is
 * none, or no memory for it. */
struct context *context_current(void);

/* Notes a context that is seen for the first time, so that waits cover it.
 * context_note_current asks the driver which one is current. */
void context_note(struct CUctx_st *handle, int ordinal, bool primary);
void context_note_current(void);

/* The context is about to be destroyed: nobody finds it any more, and this
 * returns once nobody uses it. NULL: not known. */
struct context *context_detach(struct CUctx_st *handle);
struct context *context_detach_primary(int ordinal);

/* The driver did destroy it: drops all that was known of its memory. */
void context_forget(struct context *context);

/* The driver did not. False: it was noted anew in between, and the caller
 * has to empty this record of it: see context_empty in giveback.h. */
bool context_restore(struct context *context);

/* Fills list with the contexts of a device (NULL: of all), which can't be
 * destroyed until context_release. Returns their number, at most max; -1:
 * there are more. */
int context_hold(const struct device *device, struct context **list, int max);
void context_release(struct context **list, int count);

/* Calls visit for each context under the table's lock, then its own. */
void context_each(void (*visit)(struct context *context, void *arg), void *arg);

#endif
