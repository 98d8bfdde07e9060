/* Calls that take a short way, on an ideal device: most without the lock.
 *
 * While nothing is queued on any device and nothing captures, much of what a
 * program can ask about work has one answer. An entry that has a quick_NAME()
 * is answered by that first: true when it succeeded, false when it is a case
 * for the entry itself, errors included. Nothing is quick while seeds, the
 * checker, faults or the log have to see each call. */
#ifndef SIM_QUICK_H
#define SIM_QUICK_H

#include "tally.h"
#include "thread.h"
#include "world.h"

/* Once the world is ready. */
void quick_open(void);

/* Whether this call may be quick. */
static inline bool quick_enter(int per_thread)
{
	if (!__atomic_load_n(&world.quick, __ATOMIC_ACQUIRE) || self.worker)
		return false;
	self.per_thread = per_thread;
	return true;
}

static inline CUresult quick_leave(unsigned id, CUresult res)
{
	tally_add(id);
	return res;
}

#endif
