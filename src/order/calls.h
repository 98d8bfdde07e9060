/* The program's calls that may queue work, and whether the program rests: no
 * work is queued on any device, and no such call is under way.
 *
 * Each thread counts its own calls, in a word that no other thread writes. A
 * thread that asks makes all threads pass a barrier, so that a call needs none:
 * either the call is seen here, or it sees what the asking thread has written
 * before.
 *
 * A thread may begin a pause after it has seen the counts and then the end of
 * an event that was recorded after that. Calls that begin in a pause wait. If
 * the counts are still the same once the pause is on, there is no work, and
 * none comes until the pause is over: a free in the driver has nothing to wait
 * for. The protocol is modelled in src/order/calls.pml. If a call may come
 * uncounted, none of this is known; see calls_unseen. */
#ifndef MNM_CALLS_H
#define MNM_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How many calls began, times CALLS_BEGUN, plus how many of them are under way:
 * a call may be made within another. */
struct calls {
	_Atomic uint64_t count;
	bool spare;         /* its thread has ended */
	struct calls *next; /* in the list of all; never freed */
};
#define CALLS_BEGUN ((uint64_t)1 << 16)

/* A key of no stream: the call tells nothing. */
#define CALLS_NO_WORK UINTPTR_MAX

extern __thread struct calls *calls_own; /* NULL before the first call */

/* What each call looks at: whether it has to wait, and whether it is watched
 * (capture_work.h). */
enum { CALLS_PAUSED = 1, CALLS_WATCHED = 2 };
extern _Atomic unsigned int calls_held;

/* Gives the calling thread a record to count in, and returns it. */
struct calls *calls_attach(void);

/* The caller's call has begun in a pause: waits until the pause is over, unless
 * the call is within another one, or is made by the thread that began the
 * pause. Or it is watched: tells what it is for. */
void calls_hold(struct calls *own, uintptr_t key);

/* The key is that of the stream which the call is for (stream_order.h); 0 if
 * that is not known. */
static inline void calls_enter_for(uintptr_t key)
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
		    atomic_load_explicit(&calls_held, memory_order_acquire), 0))
		calls_hold(own, key);
}

static inline void calls_enter(void)
{
	calls_enter_for(0);
}

/* For a call that makes a stream wait. Whether the stream captures is known
 * afterwards: the call may bring it into a capture. */
static inline void calls_enter_wait(void)
{
	calls_enter_for(CALLS_NO_WORK);
}

void calls_leave_wait(uintptr_t key);

/* In the same thread. Release: a thread that sees that the call is over sees
 * its work, too. */
static inline void calls_leave(void)
{
	struct calls *own = calls_own;

	atomic_store_explicit(
		&own->count,
		atomic_load_explicit(&own->count, memory_order_relaxed) - 1,
		memory_order_release);
}

/* From now on and for good, work may come by calls that are not counted. Once
 * this returns, nobody relies on a pause. The caller holds no lock. */
void calls_unseen(void);
bool calls_are_all_seen(void);

/* Whether all calls that began before are over. A call that begins from now on
 * sees what was written before. Returns false if this can't be known. */
bool calls_are_over(void);

/* Sets *sum to the sum of all counts. Returns false if another thread's call is
 * under way, or if that can't be known. A call of the caller's own, in which it
 * asks this, must not have queued its work yet. */
bool calls_look(uint64_t *sum);

/* Begins a pause, if no call has begun since calls_look gave this sum, and no
 * other thread has one; else returns false. */
bool calls_pause(uint64_t sum);

/* Begins a pause, if no other thread has one, though calls may be under way and
 * work may be queued. Once calls_look returns true, all that work is queued. */
bool calls_pause_first(void);
void calls_resume(void);

/* Whether some thread begins a pause, or has one; and whether the calling
 * thread does. */
bool calls_are_paused(void);
bool calls_are_paused_here(void);

/* From now on each call is watched: it tells what it is for before it queues
 * anything. Returns false if that can't be known of calls of other threads.
 * They are not watched any more after calls_watch_end. */
bool calls_watch(void);
void calls_watch_end(void);

/* Whether there may be work again in spite of the pause: the thread that began
 * it has made a call itself, or calls_unseen was called. */
bool calls_have_come(void);

/* Whether a call waits for the end of the pause. It does for a second at most:
 * then the pause has lasted too long, and is the last one. */
bool calls_are_awaited(void);

#endif
