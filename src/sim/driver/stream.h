#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "fence.h"
#include "nodes.h"
#include "op.h"

struct capture;
struct context;
struct thread;

enum { STREAM_MAGIC = 0x73747265 };

/* What cuStreamSetAttribute sets, without the priority. */
struct stream_attributes {
	CUaccessPolicyWindow window;
	CUsynchronizationPolicy policy;
	CUlaunchMemSyncDomain domain;
	CUlaunchMemSyncDomainMap domain_map;
};

struct stream {
	unsigned magic; /* 0 once destroyed; the object is used again */
	struct context *ctx;
	struct stream *next;        /* of the context, or of the spare ones */
	const struct thread *owner; /* of a per-thread default stream */
	unsigned long long id;
	unsigned flags;
	int priority;
	struct op *first, **last;
	uint64_t submitted, completed; /* positions; see fence.h */
	unsigned lane;                 /* see past.h; 0 before there are any */
	struct past past;     /* of its last operation, which is included */
	struct fence waits;   /* cuStreamWaitEvent, for the next operation */
	uint64_t gate_number; /* of the gate that was last waited for */
	uint64_t end;         /* virtual */
	pthread_cond_t work;  /* something may be ready for its worker */
	bool has_worker;
	bool running;            /* its worker is in an operation */
	struct capture *capture; /* NULL if what is queued runs */
	struct stream *captured; /* the next in the same capture */
	struct nodes frontier;   /* what its next node depends on */
	struct stream_attributes attributes;
};

/* The nearest priority that a stream can have. */
int stream_priority(int wanted);
/* Makes a stream in a context. */
CUresult stream_open(struct context *ctx, unsigned flags, int priority,
		     struct stream **stream);
/* Gives a lane (past.h) to each stream of a context. */
void stream_lanes_open(struct context *ctx);
/* Closes a stream. Its queued work still runs, and then
 * stream_retire() follows. */
void stream_close(struct stream *stream);
/* Takes a closed and empty stream out of its context, for reuse. */
void stream_retire(struct stream *stream);
/* The stream of a handle from the program; default streams are those of the
 * calling thread and the current context. CUDA_ERROR_INVALID_HANDLE, or the
 * error of the context. */
CUresult stream_find(CUstream handle, struct stream **stream);
/* The same for a call that queues to the stream or waits for it: also returns
 * the error of a capture that this conflicts with. */
CUresult stream_use(CUstream handle, struct stream **stream);
/* Whether the stream orders with the legacy stream. */
bool stream_is_blocking(const struct stream *stream);
/* Adds to the fence what is in the stream so far, waits included. */
bool stream_points(struct stream *stream, struct fence *fence);
/* Adds to the fence all that an operation queued to the stream now would have
 * to wait for, and raises *time to the virtual end of that. */
bool stream_before(struct stream *stream, struct fence *fence, uint64_t *time);
/* Gives a place in the stream to an operation that does nothing: what it has to
 * wait for, later work of the stream and whoever waits for the stream wait for.
 * Returns false when memory is short. */
bool stream_mark(struct stream *stream);
/* Waits for what is in the stream, in real and in virtual time. */
CUresult stream_wait(struct stream *stream);

#endif
