#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "fence.h"
#include "nodes.h"
#include "op.h"

struct capture;
struct context;
struct thread;

enum { STREAM_MAGIC = 0x73747265 };

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
	unsigned lane;                 /* see past.h; 0: none */
	struct past past;     /* of its last operation, which is in it */
	struct fence waits;   /* cuStreamWaitEvent, for the next operation */
	uint64_t gate_number; /* of the context's gate last waited for */
	uint64_t end;         /* virtual */
	pthread_cond_t work;  /* something may be ready for its worker */
	bool has_worker;
	bool running;            /* its worker is in an operation */
	struct capture *capture; /* NULL: what is queued runs */
	struct stream *captured; /* the next in the same capture */
	struct nodes frontier;   /* what its next node depends on */
};

/* A new one in a live context. */
CUresult stream_open(struct context *ctx, unsigned flags, int priority,
		     struct stream **stream);
/* Its queued work still runs; then stream_retire() is called. */
void stream_close(struct stream *stream);
/* Of a closed and empty one: leaves its context, to be used again. */
void stream_retire(struct stream *stream);
/* A handle from the program, with the default streams of the calling thread
 * and current context; CUDA_ERROR_INVALID_HANDLE, or that of the context. */
CUresult stream_find(CUstream handle, struct stream **stream);
/* As stream_find(), to queue to it or to wait for it: with the errors of a
 * capture that this conflicts with. */
CUresult stream_use(CUstream handle, struct stream **stream);
/* Whether it orders with the legacy stream. */
bool stream_is_blocking(const struct stream *stream);
/* Adds what is in the stream so far, waits included. */
bool stream_points(struct stream *stream, struct fence *fence);
/* Adds all that an operation queued to it now would have to wait for, and
 * raises *time to when that ends. */
bool stream_before(struct stream *stream, struct fence *fence, uint64_t *time);
/* The calling thread waits for what is in the stream, on both clocks. */
CUresult stream_wait(struct stream *stream);

#endif
