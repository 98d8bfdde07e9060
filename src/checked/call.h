/* Calls of pools that are checked, and what becomes of one that takes no end.
 *
 * A pool computes, so a call of it takes microseconds. A thread of ours looks
 * every second for one that has taken more than CALL_MOST_MS of processor time,
 * and sends its thread a signal, which leaves the call. That is done only while
 * the pool's own instructions run, never in a function that these have called,
 * as such a function may hold a lock. Of a call that waits a line is said, as
 * the lock that is held around it may be what it waits for. Without
 * pool_calls_watch, and where a filter of system calls may kill for that
 * thread, calls may take as long as they like. */
#ifndef MNM_CALL_H
#define MNM_CALL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

enum { CALL_MOST_MS = 2000 };

/* The instructions of a shared object, and the name of its pool. */
struct code {
	uintptr_t begin, end;
	const char *pool;
};

/* The thread's call. */
struct call {
	sigjmp_buf out;
	const struct code *code; /* atomic; NULL: no call */
	uint64_t number;         /* atomic, of calls */
	int thread;              /* atomic; 0: no thread has it */
	int error;   /* errno before it, which stays the program's */
	int let;     /* signal that may come through until its end; or 0 */
	bool blocks; /* the thread had all signals blocked at its first call */
	struct call *next;
	/* The watcher's. */
	uint64_t seen;   /* the call that it looks at */
	int64_t used_ms; /* by the thread as it was first seen */
	int64_t last_ms; /* and as it was last seen */
	uint64_t left;   /* atomic, the call that is to be left */
	unsigned int tries, waits;
};

/* The object that has a function of the pool's. */
struct code code_of(const void *function, const char *pool);

/* A call begins, and ends. What call_begin returns is NULL without memory; else
 * sigsetjmp(call->out, 0) follows it, which returns 1 if the call was left.
 * Calls of one thread do not nest. */
struct call *call_begin(const struct code *code);
void call_end(struct call *call);

#endif
