/* How often each entry was called: a table a thread, so that counting is one
 * addition without a lock. */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include "thread.h"

/* Gives the calling thread its table. */
void tally_open(void);
/* Counts a call, and returns its number among all of that entry: exact only if
 * no call of it was counted by tally_add(). */
unsigned long tally_number(unsigned id);
unsigned long tally_total(unsigned id);

static inline void tally_add(unsigned id)
{
	unsigned long *count;

	if (!self.tally)
		tally_open();
	count = &self.tally[id];
	/* This thread alone writes it; a report may read. */
	__atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + 1,
			 __ATOMIC_RELAXED);
}

#endif
