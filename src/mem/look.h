/* A request, and how it is looked for among idle blocks. */
#ifndef MNM_LOOK_H
#define MNM_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context/context.h"
#include "heap/whole.h"
#include "pools/pool.h"

/* A request of the program's. */
struct mem_request {
	size_t size; /* bytes, not 0 */
	/* In the order of a stream: of which pool of CUDA's, and the stream,
	 * whose number may be 0. Otherwise the pool's number is 0. */
	unsigned int mempool;
	unsigned int number;
	struct CUstream_st *stream;
	bool per_thread;
	/* It takes only what its stream has freed, or what the host has seen
	 * the end of. */
	bool restricted;
	bool follows; /* events from stream to stream */
	/* The stream is a legacy one: it comes after those that wait for it. */
	bool passes;
};

/* Whether a request for the heap, whose pool places blocks, is to have an
 * allocation of its own: see heap/whole.h. CUDA passes no stream-ordered memory
 * to other processes. */
static inline bool request_is_whole(const struct heap *heap,
				    const struct mem_request *request)
{
	return heap->places_blocks && heap == &heap->context->heap &&
	       !request->mempool && size_is_whole(request->size);
}

/* One look into the active pool, for a block with up to `slack` bytes to spare.
 * *span is what the request needs, or 0 if no block that is kept can serve it.
 * `all`: also into all caches of other threads, as memory is short. */
enum mnm_answer pool_look(struct heap *heap, const struct mem_request *request,
			  size_t slack, bool all, uint64_t *addr, size_t *span);

/* One look into a pool that places blocks, after all caches have been emptied
 * into it, so that free bytes are joined. `how` says what the request counts
 * as: COUNTER_hits or COUNTER_misses. */
enum mnm_answer pool_look_joined(struct heap *heap,
				 const struct mem_request *request,
				 enum counter how, uint64_t *addr);

/* All looks that a request is worth while memory is not short; maybe after a
 * fence. *span is set as by pool_look. */
enum mnm_answer mem_look(struct heap *heap, uint64_t *addr,
			 const struct mem_request *request, size_t *span);

#endif
