/* Device memory that an allocation node of a graph makes. Its address is fixed
 * when the node is made, and its memory is there from then on until no node has
 * it and its last life is over. A life begins with a launch and ends with a
 * free. All calls need the lock. */
#ifndef SIM_GRAPH_BLOCK_H
#define SIM_GRAPH_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct block;
struct context;
struct exec;
struct graph;
struct mempool;
struct node;
struct op;
struct stream;

struct graph_block {
	struct block *block;
	CUmemPoolProps props;
	CUmemAccessDesc *access; /* NULL if there are none */
	size_t access_count;
	unsigned long long graph; /* id of that whose node makes it */
	unsigned users;           /* nodes, and lives that are not over */
	bool live;                /* launched, and no free is queued */
	bool freed_inside;        /* by a node of the same graph */
	bool freed_elsewhere;     /* by a node of another graph */
};

/* Adds a node that allocates to a graph that the stream captures, or one that
 * frees the block. CUDA_ERROR_INVALID_VALUE if no graph may free it. */
CUresult graph_block_capture(struct mempool *pool, struct stream *stream,
			     size_t size, CUdeviceptr *out);
CUresult graph_block_capture_free(struct block *block, struct stream *stream);
/* For nodes that the program adds: makes the memory, with its operation. */
CUresult graph_block_open(const CUDA_MEM_ALLOC_NODE_PARAMS *params,
			  const struct graph *graph, struct graph_block **out);
/* Whether a node of this graph may free the block. */
bool graph_block_may_free(const struct block *block, const struct graph *graph);
/* Makes a node, which has no work yet, allocate or free the memory. */
CUresult graph_block_set(struct node *node, struct graph_block *memory,
			 struct context *ctx);
void graph_block_drop(struct graph_block *memory);

/* A free of the block by the host. */
void graph_block_free(struct graph_block *memory);
/* The operation that ends the block's life, or NULL when memory is short. */
struct op *graph_block_free_op(struct block *block);
/* That operation, or that of a node which allocates, has been queued. */
void graph_block_freed(struct graph_block *memory);
void graph_block_begun(struct graph_block *memory);

/* Whether a graph or one of its children has such nodes. */
bool graph_has_memory(const struct graph *graph);
/* Prepares a launch: CUDA_ERROR_INVALID_VALUE if memory that it allocates is
 * live, or memory that it frees is not. An executable graph that was made so
 * frees the former first, in the stream. */
CUresult graph_blocks_launch(struct exec *exec, struct stream *stream);

#endif
