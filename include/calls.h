/* The program's calls that queue work, while they are under way.
 *
 * Each thread counts its own, in a word that nobody else writes. Who asks has
 * all threads pass a barrier, so that a call needs none: either it is seen
 * here, or it sees what the one who asks has written before. */
#ifndef MNM_CALLS_H
#define MNM_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct calls {
	_Atomic unsigned int under_way; /* one may be within another */
	bool spare;                     /* its thread has ended */
	struct calls *next;             /* of all threads'; never freed */
};

extern __thread struct calls *calls_own; /* NULL before the first */

/* The calling thread's, from now on. */
struct calls *calls_join(void);

static inline void calls_enter(void)
{
	struct calls *own = calls_own;

	if (__builtin_expect(!own, 0))
		own = calls_join();
	atomic_store_explicit(
		&own->under_way,
		atomic_load_explicit(&own->under_way, memory_order_relaxed) + 1,
		memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

/* In the same thread. The release: who sees that it is over sees its work. */
static inline void calls_leave(void)
{
	struct calls *own = calls_own;

	atomic_store_explicit(
		&own->under_way,
		atomic_load_explicit(&own->under_way, memory_order_relaxed) - 1,
		memory_order_release);
}

/* Whether no call is under way that began before; one that begins from now on
 * sees what was written before. False where it can't be known. */
bool calls_are_over(void);

#endif
