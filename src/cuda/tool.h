/* A tool that has injected itself into the process by NVTX, as
 * compute-sanitizer does. CUDA shows it whole allocations. What mnm places in
 * them it hears of by NVTX's extension for memory: a heap for each region, and
 * in it a piece of memory for each block that the program has.
 *
 * A tool's functions may take a while, and may make calls of CUDA. So no lock
 * of ours is held around these calls, but for heaps that end with their
 * context. */
#ifndef MNM_TOOL_H
#define MNM_TOOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern _Atomic bool tool_is_there;

/* Whether there is a tool that wants to hear of memory. */
static inline bool tool_listens(void)
{
	return atomic_load_explicit(&tool_is_there, memory_order_relaxed);
}

/* Looks for a tool, which is loaded by that. To be called once. */
void tool_look(void);

/* Memory in which blocks will be. Returns the tool's handle for it; NULL
 * without a tool. The blocks that are left in it end with it. */
void *tool_heap_begin(uint64_t addr, size_t bytes);
void tool_heap_end(void *heap);

/* The program has these bytes from now on; it has them no more. To be called
 * only if a tool listens. */
void tool_block_begin(void *heap, uint64_t addr, size_t bytes);
void tool_block_end(uint64_t addr);

#endif
