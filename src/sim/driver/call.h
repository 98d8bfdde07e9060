/* What happens around every entry: counts, faults, the log, and the lock.
 * CUresult comes from cuda.h, or for the stubs from stubs.h. */
#ifndef SIM_CALL_H
#define SIM_CALL_H

#include <stdbool.h>

/* On success the caller holds the lock of world.h until call_leave(). */
CUresult call_enter(unsigned id, int per_thread);
CUresult call_leave(unsigned id, CUresult res);
/* Logs a result that call_enter() gave, the lock not being held. */
CUresult call_refuse(unsigned id, CUresult res);
/* The whole of an entry that has no implementation. */
CUresult call_missing(unsigned id);
/* For entries that work before cuInit: no lock is held between the two. */
CUresult call_enter_early(unsigned id);
CUresult call_leave_early(unsigned id, CUresult res);

/* Whether neither faults nor the log nor an old version need each call. */
bool call_unseen(void);
/* Logs that an operation starts: its stream, and its place there from 1. */
void call_log_run(unsigned long long stream, unsigned long place);

#endif
