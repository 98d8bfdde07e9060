/* What the hooks call for a request or a free.
 *
 * MEM_PASS means that the call is not for us: the hook hands it to CUDA as it
 * came. That is also the answer whenever we are unsure. */
#ifndef MNM_MEM_H
#define MNM_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mem_answer {
	MEM_DONE,    /* served: the hook returns success */
	MEM_PASS,    /* the hook calls CUDA with the program's own arguments */
	MEM_INVALID, /* freed twice: the hook calls CUDA with a pointer that is
		      not device memory, so that the error is CUDA's */
	MEM_UNBOUND, /* as MEM_INVALID, as there is no context. The runtime may
		      make one, and is called with the program's arguments */
};

/* As serving_is_on (serving.h), for the hooks: the lower layers have their
 * observers when this returns. */
bool mem_enabled(void);

/* Serves size > 0 bytes from idle blocks of the current context's pool.
 * Makes no driver call but those of a fence. */
enum mem_answer mem_hit(uint64_t *addr, size_t size);

/* As mem_hit; if there is no idle block, takes one from the driver, and gives
 * back idle blocks under pressure or at a limit. If the answer is MEM_DONE,
 * *result is CUDA's own code. *addr is set on success only. */
enum mem_answer mem_alloc(uint64_t *addr, size_t size, int *result);

/* As mem_alloc, for pinned host memory; flags are those of cuMemHostAlloc. */
enum mem_answer mem_alloc_pinned(uint64_t *addr, size_t size,
				 unsigned int flags, int *result);

/* Whether stream-ordered memory is served: MNM_STREAM_ORDERED, if the driver
 * has what that takes. */
bool mem_serves_streams(void);

/* CUDA has served stream-ordered memory. If it is for the driver that mnm
 * serves none, that is said, once. */
void mem_streams_passed(void);

/* The order in which memory is asked for, or freed. */
struct mem_order {
	struct CUstream_st *stream; /* of the current context */
	bool per_thread;            /* stream 0 means the thread's own */
	const void *pool;     /* of CUDA's, as the call names it, or NULL */
	unsigned int mempool; /* number of the pool of CUDA's; set by a free */
	unsigned int number;  /* of the stream, set by the call */
	/* Set by the call, see legacy.h: the next one needs a mark, or has one
	 * for later. */
	bool marked, marks;
	/* What stream_changes was before that pool was found; of a request. */
	unsigned int changes;
};

/* As mem_alloc, in the order of a stream: the memory may be used by what is
 * queued behind this call in the stream. Never waits for work. With MEM_PASS,
 * CUDA's own pool serves the request. */
enum mem_answer mem_alloc_in(uint64_t *addr, size_t size,
			     const struct mem_order *order, int *result);

struct block;

/* The call by which a block is freed: a free in a stream that captures, or in
 * another one, goes to CUDA. A block that is placed is freed by us in the
 * latter. */
enum mem_free {
	MEM_FREE_DEVICE,
	MEM_FREE_ASYNC,
	MEM_FREE_CAPTURED,
	MEM_FREE_PINNED
};

/* Takes back a block. With MEM_PASS, *given is the block that CUDA's call is
 * to free, or NULL for memory that is not ours; the hook passes it to
 * mem_free_end once it has called CUDA. */
enum mem_answer mem_free_begin(uint64_t addr, enum mem_free how,
			       struct block **given);

/* As mem_free_begin with MEM_FREE_DEVICE, for a block that the fast path has
 * taken. */
enum mem_answer mem_free_begin_taken(struct block *block, struct block **given);

/* As mem_free_begin, in the order of a stream: what is queued behind this call
 * in the stream may use the memory at once. Never waits for work. */
enum mem_answer mem_free_begin_in(uint64_t addr, struct mem_order *order,
				  struct block **given);

/* As that, for a block that the fast path has taken. */
enum mem_answer mem_free_begin_in_taken(struct block *block,
					struct mem_order *order,
					struct block **given);

/* CUDA has freed a block, or has refused to: then it is the program's as
 * before. NULL is allowed. */
void mem_free_end(struct block *given, bool freed);

/* Memory at addr, the start of a block or of an allocation, is passed to other
 * processes: it is not used again, and its free goes to CUDA if CUDA can free
 * it. The second does so with the placed blocks that have some of these
 * bytes. */
void mem_exported(uint64_t addr);
void mem_exported_range(uint64_t addr, size_t size);

/* The program passes memory to other processes, or tries to. Virtual memory has
 * no IPC handle, so no request is served by it from now on. */
void mem_exports(void);

/* As the options are read: a program that has CUDA's entry for that among the
 * symbols of its own file is about to do so. */
void mem_exports_expect(void);

/* CUDA has refused stream-ordered memory, as there is none. It counts as a
 * failure of the current context's device. */
void mem_refused(void);

/* The program has waited for work: of the current context, of a stream, or of
 * what an event stands behind. CUDA's pools give memory back then. Waits for no
 * other work. */
void mem_waited(void);

/* Corrects what cuMemGetInfo said for the current context's device: idle
 * blocks, and those that graphs hold, count as free, unless CUDA's own pool
 * would still have them, and a hard limit as the total. Does nothing with
 * meminfo=real. NULL is allowed. */
void mem_info(size_t *free, size_t *total);

#endif
