/* A request that a pool which places blocks has no memory for. */
#ifndef MNM_MEM_GROW_H
#define MNM_MEM_GROW_H

#include <stdbool.h>
#include <stdint.h>

#include "mem.h"

struct heap;
struct mem_request;

/* Joins what is free, and if that does not do, gives the pool more memory.
 * `pressed` and *result are as in heap_alloc. */
enum mem_answer mem_grow(struct heap *heap, uint64_t *addr,
			 const struct mem_request *request, bool pressed,
			 int *result);

#endif
