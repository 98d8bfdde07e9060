/* The thread that looks after calls, see call.h. */
#ifndef MNM_CALL_WATCH_H
#define MNM_CALL_WATCH_H

#include <stdint.h>

struct call;

/* Starts it, for the calls of a list, unless a filter of system calls may kill
 * for it. It leaves when the main thread does. */
void call_watch_start(struct call **calls);

/* The calling thread's call, if that is to be left, and the instruction is one
 * of the pool's own; else NULL. */
struct call *call_to_leave(uintptr_t instruction);

#endif
