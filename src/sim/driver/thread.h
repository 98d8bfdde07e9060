/* What the driver knows of each host thread. */
#ifndef SIM_THREAD_H
#define SIM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct context;

struct thread {
	struct context *current; /* the top of its stack; NULL: none */
	unsigned depth;          /* of the stack: context_entries.c */
	bool started;            /* has made a call */
	bool worker;             /* one of our own: it must not call in */
	bool per_thread;         /* stream 0 of this call is the thread's own */
	uint64_t now;            /* virtual ns */
	CUstreamCaptureMode capture_mode;
	CUresult late;        /* what the call returns if it succeeds */
	const char *call;     /* the entry it is in, or was in last */
	long id;              /* the host's; 0: not asked for yet */
	unsigned long *tally; /* tally.h; NULL: has made no call */
};

/* Found without a call, also where this library is opened late; so it has to
 * be small. */
extern __thread struct thread self __attribute__((tls_model("initial-exec")));

#endif
