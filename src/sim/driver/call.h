/* What happens around every entry: counts, faults, the log, and the lock.
 * CUresult comes from cuda.h, or for the stubs from stubs.h. */
#ifndef SIM_CALL_H
#define SIM_CALL_H

#include <stdbool.h>

/* On success the caller holds the lock of world.h until call_leave(). */
CUresult call_enter(unsigned id, int per_thread);
CUresult call_leave(unsigned id, CUresult res);
/* Logs an error that call_enter() returned. The lock is not held. */
CUresult call_refuse(unsigned id, CUresult res);
/* The whole of an entry that has no implementation. */
CUresult call_missing(unsigned id);
/* For entries that work before cuInit. No lock is held between the
 * two calls. */
CUresult call_enter_early(unsigned id);
CUresult call_leave_early(unsigned id, CUresult res);

/* A kernel has failed: from now on each call that uses a device returns this
 * code, and so do those that wait for the kernel. The lock is not held. */
void call_lose(CUresult code);
/* Whether no fault, no log and no older driver version has to see each call. */
bool call_unseen(void);
/* Logs a call by name. */
void call_log(const char *name, CUresult res);
/* Logs that an operation starts in a stream. Its place there counts from 1. */
void call_log_run(unsigned long long stream, unsigned long place);

#endif
