/* What the driver knows of each host thread. */
#ifndef SIM_THREAD_H
#define SIM_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct context;

enum { THREAD_STACK = 64 };

struct thread {
	struct context *stack[THREAD_STACK]; /* current contexts; top is last */
	unsigned depth;
	bool started;    /* has made a call */
	bool worker;     /* one of our own: it must not call in */
	bool per_thread; /* stream 0 of this call is the thread's own */
	uint64_t now;    /* virtual ns */
	CUstreamCaptureMode capture_mode;
	const char *call; /* the entry it is in, or was in last */
	long id;          /* the host's; 0: not asked for yet */
};

extern __thread struct thread self;

#endif
