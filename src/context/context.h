/* Contexts and devices that the program uses.
 *
 * Memory belongs to a context, where it lies in heaps: one for the device's
 * memory, and one for each kind of pinned host memory. The choice of a pool,
 * the counters and the epochs belong to the device, or to the host. */
#ifndef MNM_CONTEXT_H
#define MNM_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uthash.h>

#include "common/counter_list.h"
#include "common/option.h"

struct CUctx_st;
struct block;
struct pool;

enum counter {
#define COUNTER(name, kind, unit, help) COUNTER_##name,
	COUNTER_LIST
#undef COUNTER
		COUNTER_MAX
};

/* A device, or the host with its pinned memory. */
struct device {
	_Atomic bool used;      /* a request came for it */
	_Atomic int choice;     /* row of its pool */
	_Atomic uint64_t epoch; /* that frees are stamped with now */
	_Atomic uint64_t safe;  /* blocks of epochs below may be reused */
	_Atomic uint64_t over;  /* their former work is over, below */
	_Atomic int contexts;   /* that live */
	_Atomic bool ordered;   /* a stream's order has served for fences */
	_Atomic uint64_t
		idle_hits; /* up to then, the sole stream's work is over */
	_Atomic bool
		has_peers; /* contexts of other devices have used its memory */
	_Atomic bool shared;  /* all contexts may use its memory */
	_Atomic bool fencing; /* a thread makes a fence for a request */
	/* Fences, see fence_fail.h. */
	_Atomic unsigned int failures; /* that failed in a row */
	_Atomic unsigned int unfenced; /* waits until one is tried again;
					* UINT_MAX: none is */
	_Atomic unsigned int patience; /* how many those were; 0: none yet */
	_Atomic bool
		oom_seen;  /* has run out of memory: little quarantine left */
	_Atomic bool lost; /* an error that stays: every call is CUDA's */
	_Atomic size_t quarantine; /* bytes, the limit; SIZE_AUTO: unknown */
	_Atomic uint64_t
		fresh_since_fence; /* fresh bytes that took a fence\'s place */
	_Atomic uint64_t
		fence_credit;   /* requests that the fences so far are worth */
	_Atomic uint64_t claim; /* bytes that it has, or is being asked for */
	_Atomic uint64_t unpooled; /* those of them that no pool has */
	_Atomic bool pending;      /* a context of it has blocks to give back */
	_Atomic bool refused;   /* such as the driver did not take, last time */
	_Atomic int pressed;    /* requests that found no room: keep nothing */
	_Atomic uint64_t freed; /* bytes of blocks, on the slow path */
	/* Without what is counted in the caches: see counter_get. */
	_Atomic uint64_t counters[COUNTER_MAX] __attribute__((aligned(64)));
};

/* Memory of one kind, and the pools that serve it. */
struct heap {
	struct context *context;
	struct device *device;     /* whose figures and epochs hold for it */
	unsigned int flags;        /* of cuMemHostAlloc; 0 for device memory */
	unsigned int node;         /* of NUMA, likewise */
	_Atomic bool keeps_blocks; /* its active pool keeps blocks; may be read
				      without */
	/* Under the context's lock. */
	struct pool *pools;    /* the active one first; NULL before use */
	struct block *pending; /* idle blocks to give back */
	/* Added under that lock, never removed; may be read without. */
	struct heap *_Atomic next; /* of the context's */
};

/* Contexts whose making went unseen may be primary ones, too. */
enum context_kind { CONTEXT_UNSEEN, CONTEXT_PRIMARY, CONTEXT_CREATED };

struct context {
	struct CUctx_st *handle; /* the key */
	struct device *device;
	enum context_kind kind;
	struct CUevent_st *_Atomic fence; /* the event of its fences, or NULL */
	_Atomic uint64_t peer_of; /* a bit per device whose memory it may use */
	_Atomic uint64_t joined;  /* likewise, and it is behind their fences */
	_Atomic uint64_t over;    /* as its device's, of its own work */
	_Atomic uint64_t over_host; /* likewise the host's */
	/* By one thread at a time, see pinned_order.c. */
	struct CUevent_st *seal; /* or NULL */
	uint64_t sealed;         /* the epoch of the host's it stands behind */
	/* Under the table's lock. */
	_Atomic bool known; /* to those above; may be read without */
	bool unlinked;      /* among the dead */
	struct context *next_unlinked;
	UT_hash_handle hh;
	pthread_mutex_t lock;
	pthread_cond_t settled; /* closing or busy has come to 0 */
	/* Under lock. */
	_Atomic bool dead;            /* destroyed; its blocks are forgotten */
	_Atomic unsigned int closing; /* calls under way that may end it */
	unsigned int busy;            /* see context_use */
	int caches;       /* that threads have of it; see tcache.h */
	struct heap heap; /* device memory, the first of its heaps */
};

/* The device of an ordinal from 0 to DEVICE_MAX - 1, or DEVICE_HOST. */
struct device *device_at(int ordinal);
int device_ordinal(const struct device *device);
bool device_is_host(const struct device *device);

/* Devices that have a context now, and contexts, also such as are ending. */
int device_count(void);
int context_count(void);

/* The calling thread's current context; made at first sight. NULL: there is
 * none, or no memory for it. */
struct context *context_current(void);

/* The calling thread's current context may be another now: it is asked for at
 * the next request. */
void context_invalidate(void);

/* An entry that we know nothing of was called, or handed out: from now on the
 * driver is asked for the current context at each request. */
void context_opaque(void);
bool context_is_opaque(void);

/* The record of a handle, or NULL; of a green context, its primary one's. */
struct context *context_find(struct CUctx_st *handle);

/* As context_find; one that was not seen being made is noted now. */
struct context *context_named(struct CUctx_st *handle);

/* As context_find, or the current one's (NULL), which a wait for that handle
 * covers: NULL for a green context, a part of one. */
struct context *context_whole(struct CUctx_st *handle);

/* Another name of a device's primary context: a green one. False: no memory,
 * or the primary one is not known. */
bool context_register_green(struct CUctx_st *handle, int ordinal);
void context_forget_green(struct CUctx_st *handle);

/* That of a device's primary context, or of one that may be it; or NULL. */
struct context *context_primary(int ordinal);

/* Notes a context that is seen for the first time, so that waits cover it. */
void context_register(struct CUctx_st *handle, int ordinal,
		      enum context_kind kind);

/* Takes the context's lock once no call is under way that may end it; it may
 * be dead then. */
void context_enter(struct context *context);
bool context_enter_now(struct context *context); /* false: one is */
/* With the lock: whether requests and frees may be served from what is in it. A
 * thread that is in such a call itself, and calls CUDA in it, as a tool in its
 * midst does, does not wait for that; what it asks for then is CUDA's. */
bool context_serves(const struct context *context);
void context_leave(struct context *context);

/* Driver calls of ours on what is in the context begin: none that may end it
 * starts before context_unuse. Where one is under way, the first waits for it;
 * the second never waits. */
enum context_state { CONTEXT_ALIVE, CONTEXT_ENDING, CONTEXT_DEAD };
bool context_use(struct context *context); /* false: it is dead */
enum context_state context_try(struct context *context);
void context_unuse(struct context *context);

/* Returns once no call is under way that may end the context. */
void context_await(struct context *context);

/* A call that may end a context begins, once nobody uses it: until it is known
 * how it went, requests and frees of the context's blocks wait, and nothing of
 * it is given back. It is still found, and listed. NULL: not known. */
struct context *context_end_begin(struct CUctx_st *handle);

/* As context_end_begin, of a device's primary context. False: *context is in
 * use, and nothing has begun; see context_unused. */
bool context_end_begin_primary(int ordinal, struct context **context);
void context_unused(struct context *context); /* waits until nobody uses it */

/* That call has returned. Ended: all that was known of the context's memory
 * is dropped. NULL is allowed. */
void context_end_finish(struct context *context, bool ended);

/* Fill list with the contexts that memory of a device belongs to, or which may
 * use it by what they do (NULL, or the host: all). They may end meanwhile, see
 * context_try; a record stays. Return their number, at most max; -1: more. */
int contexts_of(const struct device *device, struct context **list, int max);
int contexts_using(const struct device *device, struct context **list, int max);

/* Calls visit for each heap of each context, under the table's lock and the
 * context's. */
void heaps_each(void (*visit)(struct heap *heap, void *arg), void *arg);

#endif
