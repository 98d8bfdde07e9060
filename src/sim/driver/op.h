/* An operation in a stream: what it waits for, what it does and what
 * it touches. */
#ifndef SIM_OP_H
#define SIM_OP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "../kernel_table.h"
#include "fence.h"
#include "site.h"

struct block;
struct bound;
struct board_slot;
struct code;
struct context;
struct function;
struct graph;
struct mempool;
struct owner;
struct stream;

/* Bytes in rows in slices; a plain copy has one row. */
struct copy {
	char *dst;
	const char *src;
	size_t width, height, depth;
	size_t dst_pitch, dst_slice; /* bytes from row to row, slice to slice */
	size_t src_pitch, src_slice;
	bool to_host; /* from a device; copy_op() says so */
};

struct fill {
	char *dst;
	size_t pitch, width, height; /* width in elements */
	unsigned element;            /* 1, 2 or 4 bytes */
	unsigned value;
};

struct launch {
	const struct sim_kernel *kernel;
	const struct function *function;
	bool by_kernel; /* a CUkernel named it, and no CUfunction */
	struct sim_launch shape;
	const struct code *code; /* the kernel's, or NULL if it runs itself */
	void **args;             /* copies, in the operation's own memory */
	struct bound *bound;     /* likewise, of the code */
};

struct touch {
	CUdeviceptr addr, end;
	CUdeviceptr begin;    /* of the whole range that it is a piece of */
	struct owner *memory; /* the driver's block, or NULL */
};

struct callback {
	CUhostFn fn; /* NULL if with_status is to be called */
	CUstreamCallback with_status;
	CUstream handle;
	void *user;
};

/* A record of an event that other processes see, or a wait for one. */
struct post {
	struct board_slot *slot;
	uint64_t record;
};

/* The free of a block. One of a pool may serve again, or be gone, before the
 * operation runs. */
struct release {
	struct block *block;
	bool stays;           /* in its pool, or in its graph */
	struct mempool *pool; /* or NULL */
};

/* Operations on values in memory, one after the other. */
struct memops {
	CUstreamBatchMemOpParams *parts; /* in the operation's own memory */
	unsigned count;
};

struct op {
	struct op *next;
	struct stream *stream;
	struct fence before; /* other streams' points */
	void (*run)(struct op *op);
	bool (*touch)(struct op *op); /* see touch.h; NULL if it touches none */
	/* Whether it has to wait for what a value in memory is, beside
	 * `before`; NULL if it never has. */
	bool (*held)(const struct op *op);
	bool on_worker;       /* a thread that helps must not run it */
	bool calls;           /* it is a function of the program */
	CUgraphNodeType type; /* as a node of a graph */
	/* Gives a bitwise copy what it owns, and notes what it will write to.
	 * NULL if there is nothing to do. */
	CUresult (*renew)(struct op *op);
	/* Gives back what it has beside `owned`, with the lock, or NULL. A copy
	 * has none, unless renew() sets it. */
	void (*ended)(struct op *op);
	bool frees; /* what it touches has no owner after it */
	union {
		struct copy copy;
		struct fill fill;
		struct launch launch;
		struct callback callback;
		struct post post;
		struct release release;
		struct memops memops;
		struct graph *inner; /* of a condition: a copy of its node */
	};
	void *owned;      /* staged bytes or arguments; freed with it */
	struct site site; /* this and what follows is for the checker */
	struct touch *touched;
	unsigned touched_count, touched_room;
};

/* NULL when memory is short. */
struct op *op_new(void (*run)(struct op *op));
void op_drop(struct op *op);
/* A copy that is not queued. NULL when memory is short. */
struct op *op_copy(const struct op *op);
/* Queues an operation that takes ns of virtual time. Owns it, also on failure.
 * Waits for nothing but room in the queue (queue.h). In a capturing stream the
 * operation becomes a node instead. */
CUresult op_submit(struct op *op, struct stream *stream, uint64_t ns);
/* Whether a stream's next operation may run now. */
bool op_ready(const struct stream *stream);
/* Waits until something happens, but not for long: the host may change a value
 * that an operation is held by without a call. Drops the lock meanwhile. */
void op_look_again(pthread_cond_t *changed);
/* Runs that operation. Drops the lock meanwhile. */
void op_run_first(struct stream *stream);
/* The same, if the operation is ready and a thread that helps may run it.
 * Otherwise returns false. */
bool op_help(struct stream *stream);

#endif
