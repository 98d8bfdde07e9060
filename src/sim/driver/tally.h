/* How often each entry was called. Each thread has a table of its own, so that
 * counting is one addition without a lock. */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include "thread.h"

/* Gives the calling thread its table. */
void tally_open(void);
/* Counts a call, and returns its number among all calls of that entry. The
 * number is exact only if tally_add() has counted none of them. */
unsigned long tally_number(unsigned id);
unsigned long tally_total(unsigned id);

static inline void tally_add(unsigned id)
{
	unsigned long *count;

	if (!self.tally)
		tally_open();
	count = &self.tally[id];
	/* Only this thread writes the count; a report may read it. */
	__atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + 1,
			 __ATOMIC_RELAXED);
}

#endif
