/* Calls that take a short way on an ideal device, most of them
 * without the lock.
 *
 * While nothing is queued on any device and nothing captures, much of what a
 * program can ask about work has one answer. An entry that has a quick_NAME()
 * calls it first: true means that it succeeded, false that the entry itself has
 * to decide, errors included. Nothing is quick while a seed, the checker,
 * faults, the log or an older driver version has to see each call. */
#ifndef SIM_QUICK_H
#define SIM_QUICK_H

#include "tally.h"
#include "thread.h"
#include "world.h"

/* Decides whether calls may be quick, once all else is ready. */
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
