/* The program's calls that may queue work, and whether it rests: no work is
 * queued on a device, and no such call is under way.
 *
 * Each thread counts its own calls, in a word that nobody else writes. Who asks
 * has all threads pass a barrier, so that a call needs none: either it is seen
 * here, or it sees what the one who asks has written before.
 *
 * Who has seen the counts, and then the end of an event that was recorded
 * after, may begin a pause, in which calls that begin wait. If the counts are
 * still the same there is no work, and comes none until the pause is over: a
 * free of the driver's can't wait for any. The protocol is modelled in
 * src/order/calls.pml. Where a call may come uncounted none of this is known;
 * see calls_unseen. */
#ifndef MNM_CALLS_H
#define MNM_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How many began, times CALLS_BEGUN, and how many of them are under way, as one
 * may be within another. */
struct calls {
	_Atomic uint64_t count;
	bool spare;         /* its thread has ended */
	struct calls *next; /* of all threads'; never freed */
};
#define CALLS_BEGUN ((uint64_t)1 << 16)

extern __thread struct calls *calls_own; /* NULL before the first */
extern _Atomic bool calls_paused;

/* The calling thread's, from now on. */
struct calls *calls_attach(void);

/* In a pause; the caller's call has begun. */
void calls_wait(struct calls *own);

static inline void calls_enter(void)
{
	struct calls *own = calls_own;
	uint64_t count;

	if (__builtin_expect(!own, 0))
		own = calls_attach();
	count = atomic_load_explicit(&own->count, memory_order_relaxed);
	atomic_store_explicit(&own->count, count + CALLS_BEGUN + 1,
			      memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(
		    atomic_load_explicit(&calls_paused, memory_order_acquire),
		    0))
		calls_wait(own);
}

/* In the same thread. The release: who sees that it is over sees its work. */
static inline void calls_leave(void)
{
	struct calls *own = calls_own;

	atomic_store_explicit(
		&own->count,
		atomic_load_explicit(&own->count, memory_order_relaxed) - 1,
		memory_order_release);
}

/* Work may come by calls that are not counted, from now on and for good. Once
 * this returns nobody relies on a pause. The caller holds no lock. */
void calls_unseen(void);

/* Whether no call is under way that began before; one that begins from now on
 * sees what was written before. False where it can't be known. */
bool calls_are_over(void);

/* The calls so far; false: one is under way, or it can't be known. */
bool calls_look(uint64_t *sum);

/* Begins a pause, if there has been no call since. False: there is none. For
 * one thread. */
bool calls_pause(uint64_t sum);
void calls_resume(void);

/* Whether the pause is to end: a call waits for that, or the thread that has
 * begun the pause has made one itself. It waits a second at most: then the
 * pause lasts too long, and is the last one. */
bool calls_are_awaited(void);

#endif
