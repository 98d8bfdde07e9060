/* What the driver knows of each host thread. */
#ifndef SIM_THREAD_H
#define SIM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct context;

struct thread {
	struct context *current; /* the top of its stack, or NULL */
	unsigned depth;          /* of the stack, see context_entries.c */
	bool started;            /* has made a call */
	bool worker;             /* runs an operation: it must not call in */
	bool per_thread;         /* stream 0 of this call is the thread's own */
	uint64_t now;            /* virtual ns */
	CUstreamCaptureMode capture_mode;
	CUresult late;        /* what the call returns if it succeeds */
	const char *call;     /* the entry it is in, or was in last */
	long id;              /* the host's; 0 until it is asked for */
	unsigned long *tally; /* see tally.h; NULL before the first call */
};

/* Initial-exec: found without a call. The structure has to be small, so that
 * this works even if the library is opened late. */
extern __thread struct thread self __attribute__((tls_model("initial-exec")));

#endif
