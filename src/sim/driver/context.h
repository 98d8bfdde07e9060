#ifndef SIM_CONTEXT_H
#define SIM_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "fence.h"

struct block;
struct device;
struct event;
struct heap;
struct host_block;
struct module;
struct stream;

enum { CONTEXT_MAGIC = 0x636f6e74, CONTEXT_LIMITS = CU_LIMIT_MAX };

struct context {
	unsigned magic;
	bool alive; /* false in a dead one, which is kept so that a stale handle
		       is recognised; also read without the lock */
	bool closing; /* it is being closed and waits for its work */
	bool calling; /* a function of the program runs in one of its streams,
			 or in one of its green contexts' */
	struct device *dev;
	unsigned long long id;
	unsigned flags;
	unsigned api_version;
	unsigned users;           /* counted by cuCtxAttach and cuCtxDetach */
	struct context *next;     /* of the device */
	struct context *green_of; /* a green context's primary one, or NULL */
	unsigned processors;      /* of a green context */
	struct stream *streams;   /* all of them, including the legacy one */
	struct stream *legacy;
	struct block *blocks;
	struct heap *heap; /* see heap.h; NULL until a kernel needs it */
	struct event *events;
	struct module *modules;
	struct fence gone; /* of streams that were retired */
	struct fence gone_blocking;
	struct fence gate;    /* cuCtxWaitEvent: all later work waits for it */
	uint64_t gate_number; /* grows with each change of the gate */
	uint64_t gate_time;
	unsigned long long peers; /* a bit for each device that it may access */
	CUfunc_cache cache;
	size_t limits[CONTEXT_LIMITS];
};

/* Fills in a dead context and makes it alive. CUDA_ERROR_OUT_OF_MEMORY. */
CUresult context_open(struct context *ctx, struct device *dev, unsigned flags);
/* Waits for the context's work and frees everything in it. */
void context_close(struct context *ctx);
/* Closes a context that its device lists, and takes it off the list. Its handle
 * stays known as that of a destroyed context. */
void context_end(struct context *ctx);
/* Iterates over what a call for a context concerns: the context itself, and
 * then the green contexts of a primary one. Begins with last = NULL and ends by
 * returning NULL. */
struct context *context_part(struct context *ctx, struct context *last);
/* Waits until no thread is closing the context. */
void context_settle(struct context *ctx);
/* The calling thread's context. CUDA_ERROR_INVALID_CONTEXT if it has none,
 * CUDA_ERROR_CONTEXT_IS_DESTROYED if its context was destroyed. */
CUresult context_current(struct context **ctx);
/* The context of a handle from the program, with the same errors. NULL stands
 * for the current context. */
CUresult context_find(CUcontext handle, struct context **ctx);
/* The same for a call in which NULL stands for no context:
 * CUDA_ERROR_INVALID_CONTEXT. */
CUresult context_named(CUcontext handle, struct context **ctx);
/* Adds to the fence what is in the streams so far, of the context and of its
 * green contexts. */
void context_points(struct context *ctx, struct fence *fence);
/* Waits for all of that. */
void context_wait(struct context *ctx);

#endif
