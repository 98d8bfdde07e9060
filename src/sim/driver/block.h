/* One allocation of device memory. */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct array;
struct context;
struct device;
struct freed;
struct graph_block;
struct mempool;
struct slab;
struct stream;
struct variable;

/* Blocks from BLOCK_EXTERNAL on are in no arena. */
enum block_kind {
	BLOCK_PLAIN,
	BLOCK_MANAGED,
	BLOCK_ASYNC,
	BLOCK_GRAPH,    /* of a node that allocates: graph_block.h */
	BLOCK_ARRAY,    /* known by a handle, not freed by cuMemFree: array.h */
	BLOCK_GLOBAL,   /* a module's variable, likewise: variable.h */
	BLOCK_HEAP,     /* for malloc() of kernels, and no call: heap.h */
	BLOCK_EXTERNAL, /* memory of a file: window.h */
	BLOCK_LENT,     /* a variable of the host's kernels: window.h */
	BLOCK_OPENED,   /* memory of another process: window.h */
	BLOCK_IMPORTED, /* the same, in a pool */
	BLOCK_MAPPED, /* in reserved addresses, and in no context: mapping.h */
};

/* What the program advised for managed memory. A location of type 0 stands for
 * no advice. */
struct advice {
	bool read_mostly;
	CUmemLocation preferred, prefetched;
	uint64_t accessed_by; /* a bit for each device */
	bool accessed_by_host;
};

struct block {
	CUdeviceptr addr;
	size_t size; /* as asked for */
	size_t span; /* bytes that it takes: units of 512 B, or granules */
	uint64_t id; /* CU_POINTER_ATTRIBUTE_BUFFER_ID, never used again */
	uint64_t launches; /* of the device, when it was allocated */
	struct device *dev;
	struct context *ctx;       /* NULL if it belongs to none */
	struct block *prev, *next; /* of the same context or pool */
	enum block_kind kind;
	bool touched; /* a copy, a fill or the host may write to it */
	bool freeing; /* a free of it is queued, in `freed_in` */
	struct stream *freed_in;
	bool sync_memops;     /* the attribute of that name; only recorded */
	bool outside;         /* none of the device's capacity is its */
	bool idle;            /* in a pool or a bin: nobody has it */
	bool counted;         /* idle, but still in its pool's `used` */
	struct mempool *pool; /* of BLOCK_ASYNC and BLOCK_IMPORTED */
	struct freed *freed;  /* of its last life in that pool, or NULL */
	struct graph_block *graph; /* of BLOCK_GRAPH */
	struct advice advice;      /* of BLOCK_MANAGED */
	struct array *array;       /* of BLOCK_ARRAY */
	struct variable *variable; /* whose memory this is, or NULL */
};

#endif
