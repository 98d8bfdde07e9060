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
struct heap_region;
struct pool;

enum counter {
#define COUNTER(name, kind, unit, help) COUNTER_##name,
	COUNTER_LIST
#undef COUNTER
		COUNTER_MAX
};

/* A device, or the host with its pinned memory. */
struct device {
	_Atomic bool used;        /* it has had a request */
	_Atomic int choice;       /* of its pool, see pool_choice.h */
	_Atomic uint64_t epoch;   /* frees are stamped with this one */
	_Atomic uint64_t safe;    /* blocks of epochs below may be reused */
	_Atomic uint64_t over;    /* below, their former work is over */
	_Atomic int contexts;     /* live ones */
	_Atomic bool has_streams; /* streams in whose order it is freed */
	_Atomic bool ordered;     /* stream order has replaced fences */
	_Atomic uint64_t
		idle_hits; /* hits up to which the sole stream's work is over */
	_Atomic bool
		has_peers; /* contexts of other devices have used its memory */
	_Atomic uint64_t managed; /* bytes of regions of managed memory */
	_Atomic bool shared;      /* all contexts may use its memory */
	_Atomic uint64_t shown;   /* a bit per device that has access to it */
	_Atomic bool fencing;     /* a thread makes a fence for a request */
	/* Fences, see fence_fail.h. */
	_Atomic unsigned int failures; /* in a row */
	_Atomic unsigned int unfenced; /* host waits until the next try;
					  UINT_MAX: there is none */
	_Atomic unsigned int patience; /* first value of unfenced; 0: none */
	_Atomic bool
		oom_seen;  /* has run out of memory: little quarantine left */
	_Atomic bool lost; /* a lasting error: every call is CUDA's */
	_Atomic size_t quarantine; /* limit in bytes; SIZE_AUTO: unknown */
	_Atomic uint64_t
		fresh_since_fence; /* fresh bytes taken in place of a fence */
	_Atomic uint64_t
		fence_credit;      /* requests that pay for the fences so far */
	_Atomic uint64_t claim;    /* bytes taken from it, or asked of it now */
	_Atomic uint64_t unpooled; /* the part that no pool has */
	_Atomic bool pending;      /* a context of it has blocks to give back */
	_Atomic bool refused; /* the driver refused such a block last time */
	_Atomic size_t owed;  /* idle bytes to give back, see heap/owed.h */
	_Atomic bool waited_in_vain; /* see heap/owed.h */
	_Atomic int pressed;         /* requests without memory: keep nothing */
	_Atomic uint64_t freed;     /* bytes of blocks freed on the slow path */
	_Atomic uint64_t idle_turn; /* how often heap/idle_limit.h began anew */
	/* Without what threads count for themselves: see counter_get. */
	_Atomic uint64_t counters[COUNTER_MAX] __attribute__((aligned(64)));
};

/* Memory of one kind, and the pools that serve it. */
struct heap {
	struct context *context;
	struct device *device; /* its figures and epochs apply */
	unsigned int flags;    /* of cuMemHostAlloc; 0 for device memory */
	unsigned int node;     /* of NUMA; 0 for device memory */
	/* Its active pool keeps blocks; places them in regions. May be read
	 * without the lock. */
	_Atomic bool keeps_blocks, places_blocks;
	/* Under the context's lock. */
	struct pool *pools;         /* the active one first; NULL before use */
	struct block *pending;      /* idle blocks to give back */
	struct heap_region *recent; /* one of its regions, used lately */
	/* The last one of a free in its regions. May be read without it. */
	_Atomic uint64_t placed_epoch;
	/* Added under that lock, never removed; may be read without it. */
	struct heap *_Atomic next; /* the context's next heap */
};

/* Under the context's lock. A block of one of its regions was freed then. */
static inline void heap_placed_in(struct heap *heap, uint64_t epoch)
{
	if (epoch >
	    atomic_load_explicit(&heap->placed_epoch, memory_order_relaxed))
		atomic_store_explicit(&heap->placed_epoch, epoch,
				      memory_order_relaxed);
}

/* A context whose creation mnm did not see may be a primary one, too. */
enum context_kind { CONTEXT_UNSEEN, CONTEXT_PRIMARY, CONTEXT_CREATED };

struct context {
	struct CUctx_st *handle; /* the key */
	struct device *device;
	_Atomic enum context_kind kind; /* also read without the lock */
	uint64_t number; /* in the order in which contexts came */
	struct CUevent_st *_Atomic fence; /* the event of its fences, or NULL */
	_Atomic uint64_t fences;          /* how often that was recorded */
	_Atomic uint64_t fences_over;     /* so many are known to be over */
	_Atomic uint64_t peer_of; /* a bit per device whose memory it may use */
	_Atomic uint64_t joined;  /* those whose fences its work waits for */
	/* Those whose primary context it has access to: as mnm needs that, and
	 * as the program has asked for. See heap/mempool_share.h. */
	_Atomic uint64_t peer_own, peer_asked;
	/* See order/legacy.h. */
	_Atomic bool legacy_joins;
	_Atomic bool legacy_refused;
	_Atomic unsigned int legacy_due;
	_Atomic uint64_t legacy_asked, legacy_queued;
	pthread_mutex_t legacy_lock;
	struct CUevent_st *_Atomic legacy_mark; /* an event, or NULL */
	_Atomic uint64_t over;      /* as device->over, for its own work */
	_Atomic uint64_t over_host; /* the same for the host's epochs */
	/* Used by one thread at a time, see pinned_order.c. */
	struct CUevent_st *seal; /* an event, or NULL */
	uint64_t sealed;         /* the host's epoch that it stands behind */
	/* Under the table's lock. */
	_Atomic bool known; /* to the observer; also read without the lock */
	bool unlinked;      /* in the list of the dead */
	struct context *next_unlinked;
	UT_hash_handle hh;
	pthread_mutex_t lock;
	pthread_cond_t settled; /* closing or busy has become less */
	/* Under lock. */
	_Atomic bool dead;            /* destroyed; its blocks are forgotten */
	_Atomic unsigned int closing; /* calls under way that may end it */
	unsigned int busy;            /* see context_use */
	int caches;                   /* threads' caches for it; see tcache.h */
	struct heap heap; /* device memory, the first of its heaps */
};

/* The device of an ordinal from 0 to DEVICE_MAX - 1, or DEVICE_HOST. */
struct device *device_at(int ordinal);
int device_ordinal(const struct device *device);
bool device_is_host(const struct device *device);

/* How many devices have a context now, and how many contexts there are.
 * Contexts that are just ending count. */
int device_count(void);
int context_count(void);

/* The calling thread's current context; its record is made when it is first
 * seen. Returns NULL if there is none, or no memory for a record. */
struct context *context_current(void);

/* The calling thread's current context may be another now: the next request
 * asks the driver for it. */
void context_invalidate(void);

/* An entry that mnm knows nothing about was called, or handed out: from now on
 * the driver is asked for the current context at each request. */
void context_opaque(void);
bool context_is_opaque(void);

/* The record of a handle, or NULL. For a green context it is the record of the
 * primary context. */
struct context *context_find(struct CUctx_st *handle);

/* As context_find, but makes a record now if the creation of the context was
 * not seen. */
struct context *context_named(struct CUctx_st *handle);

/* The record of the context that a wait for this handle covers, or for the
 * current context (NULL). Returns NULL for a green context, which is only a
 * part of a context, and for one that is not known. */
struct context *context_whole(struct CUctx_st *handle);

/* Notes a green context, whose handle is another name of the device's primary
 * context. Returns false if there is no memory, or the primary context is not
 * known. */
bool context_register_green(struct CUctx_st *handle, int ordinal);
void context_forget_green(struct CUctx_st *handle);

/* The record of a device's primary context, or of a context that may be the
 * primary one; or NULL. */
struct context *context_primary(int ordinal);

/* Notes a context that is seen for the first time, so that waits cover it. */
void context_register(struct CUctx_st *handle, int ordinal,
		      enum context_kind kind);

/* Takes the context's lock once no call is under way that may end the context,
 * which may be dead then. */
void context_enter(struct context *context);

/* Takes the lock, or returns false if such a call is under way. */
bool context_enter_now(struct context *context);

/* Under the lock: whether the context may serve requests and frees. It may not
 * during a call that may end it: a thread that is in such a call itself, as a
 * tool's function that CUDA calls there, does not wait in context_enter. What
 * it asks for is CUDA's then. */
bool context_serves(const struct context *context);
void context_leave(struct context *context);

/* Driver calls of ours on what is in the context begin: no call that may end it
 * starts before context_unuse. If such a call is under way, context_use waits
 * for it; context_try never waits. */
enum context_state { CONTEXT_ALIVE, CONTEXT_ENDING, CONTEXT_DEAD };
bool context_use(struct context *context); /* false: it is dead */
enum context_state context_try(struct context *context);
void context_unuse(struct context *context);

/* Returns once no call is under way that may end the context. */
void context_await(struct context *context);

/* Waits until nobody uses the context, and begins a call that may end it. Until
 * its outcome is known, requests and frees of the context's blocks wait, and
 * nothing of it is given back. The context is still found, and listed. Returns
 * NULL if it is not known. */
struct context *context_end_begin(struct CUctx_st *handle);

/* As context_end_begin, for a device's primary context, but never waits.
 * Returns false if *context is in use, and nothing has begun; see
 * context_unused. */
bool context_end_begin_primary(int ordinal, struct context **context);
void context_unused(struct context *context); /* waits until nobody uses it */

/* The call has returned. If it has ended the context, all that was known of the
 * context's memory is dropped. context may be NULL. */
void context_end_finish(struct context *context, bool ended);

/* Fill list with the contexts that memory of a device belongs to, or with those
 * whose work may use it; with all contexts if the device is NULL or the host. A
 * context may end meanwhile, see context_try; its record stays. Return how many
 * there are, or -1 if there are more than max. */
int contexts_of(const struct device *device, struct context **list, int max);
int contexts_using(const struct device *device, struct context **list, int max);

/* Return one of these contexts after the other, however many there are, and
 * then NULL. A walk begins as zeros. It may miss a context that comes after
 * it has begun. */
enum { CONTEXTS_LISTED = 64 };
struct context_walk {
	struct context *list[CONTEXTS_LISTED];
	int count, at;
	uint64_t last; /* number of the last one in the list */
	bool over;     /* there is none after the list */
};
struct context *context_next_of(struct context_walk *walk,
				const struct device *device);
struct context *context_next_using(struct context_walk *walk,
				   const struct device *device);

/* Whether what the context does may use memory of the device. */
bool context_uses(const struct context *context, const struct device *device);

/* Calls visit for each heap of each context, under the table's lock and the
 * context's. */
void heaps_each(void (*visit)(struct heap *heap, void *arg), void *arg);

#endif
