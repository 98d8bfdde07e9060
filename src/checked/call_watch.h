/* The thread that looks after calls, see call.h. */
#ifndef MNM_CALL_WATCH_H
#define MNM_CALL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct call;

/* Starts it, for the calls of a list. It leaves when the main thread does.
 * Returns false if it can't, or a filter of system calls may kill for it. */
bool call_watch_start(struct call **calls);

/* The calling thread's call, if that is to be left, and the instruction is one
 * of the pool's own; else NULL. */
struct call *call_to_leave(uintptr_t instruction);

#endif
