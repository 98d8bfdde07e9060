/* One allocation of device memory. */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

struct array;
struct context;
struct device;
struct mempool;
struct slab;
struct stream;

/* From BLOCK_EXTERNAL on they are in no arena. */
enum block_kind {
	BLOCK_PLAIN,
	BLOCK_MANAGED,
	BLOCK_ASYNC,
	BLOCK_ARRAY,    /* known by a handle, not cuMemFree's: array.h */
	BLOCK_EXTERNAL, /* a file's: window.h */
	BLOCK_OPENED,   /* another process's: window.h */
	BLOCK_MAPPED,   /* into reserved addresses, in no context: mapping.h */
};

/* What the program said of managed memory; a type of 0: nothing. */
struct advice {
	bool read_mostly;
	CUmemLocation preferred, prefetched;
	uint64_t accessed_by; /* a bit for each device */
};

struct block {
	CUdeviceptr addr;
	size_t size; /* as asked for */
	size_t span; /* bytes it takes: units of 512 B, or granules */
	uint64_t id; /* CU_POINTER_ATTRIBUTE_BUFFER_ID, never used again */
	uint64_t launches; /* of the device when it was allocated */
	struct device *dev;
	struct context *ctx;       /* NULL: none */
	struct block *prev, *next; /* of the same context */
	enum block_kind kind;
	bool touched; /* a copy or fill has been queued for it, or the host may
		       */
	bool freeing; /* a free of it is queued, in this stream: */
	struct stream *freed_in;
	bool sync_memops;     /* the attribute; every such call here waits */
	bool idle;            /* in its pool, and nobody has it */
	struct mempool *pool; /* of BLOCK_ASYNC */
	struct advice advice; /* of BLOCK_MANAGED */
	struct array *array;  /* of BLOCK_ARRAY */
};

#endif
