#ifndef SIM_CONTEXT_H
#define SIM_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "fence.h"

struct block;
struct device;
struct event;
struct host_block;
struct module;
struct stream;

enum { CONTEXT_MAGIC = 0x636f6e74, CONTEXT_LIMITS = CU_LIMIT_MAX };

struct context {
	unsigned magic;
	bool alive;   /* a dead one is kept, so that a stale handle is seen;
		       * also read without the lock */
	bool closing; /* its end waits for its work */
	struct device *dev;
	unsigned long long id;
	unsigned flags;
	unsigned api_version;
	unsigned users;           /* cuCtxAttach and cuCtxDetach */
	struct context *next;     /* of the device */
	struct context *green_of; /* the primary one, of a green context */
	unsigned processors;      /* that a green one has */
	struct stream *streams;   /* all of them; the legacy one included */
	struct stream *legacy;
	struct block *blocks;
	struct event *events;
	struct module *modules;
	struct past gone; /* of streams that are no more */
	struct past gone_blocking;
	struct fence gate;    /* cuCtxWaitEvent: all later work waits for it */
	uint64_t gate_number; /* grows with each change of the gate */
	uint64_t gate_time;
	unsigned long long peers; /* bit per device it may access */
	CUfunc_cache cache;
	size_t limits[CONTEXT_LIMITS];
};

/* Fills in a dead context. CUDA_ERROR_OUT_OF_MEMORY. */
CUresult context_open(struct context *ctx, struct device *dev, unsigned flags);
/* Waits for its work and takes everything that is in it. */
void context_close(struct context *ctx);
/* As context_close, of one that its device lists; keeps the handle. */
void context_end(struct context *ctx);
/* What calls for a context mean, one after another: itself, and of a primary
 * one its green contexts, too. Starts and ends with NULL. */
struct context *context_part(struct context *ctx, struct context *last);
/* Waits until no thread is closing it. */
void context_settle(struct context *ctx);
/* The calling thread's; 201 without one, 709 when it was destroyed. */
CUresult context_current(struct context **ctx);
/* A handle from the program; NULL is the current one. */
CUresult context_find(CUcontext handle, struct context **ctx);
/* Adds what is in all of its parts' streams so far. */
void context_points(struct context *ctx, struct fence *fence);
/* Waits for all of those. */
void context_wait(struct context *ctx);

#endif
