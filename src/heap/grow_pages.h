/* Regions of virtual memory grow. */
#ifndef MNM_GROW_PAGES_H
#define MNM_GROW_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "pools/place.h"

struct heap;
struct pool;

/* Neither a CUresult nor TAKE_LIMITED: there is no virtual memory to be had. */
enum { GROW_OTHERWISE = -2 };

/* As heap_grow, for a pool whose regions are virtual. */
int grow_pages(struct heap *heap, struct pool *pool, size_t span,
	       enum growth_rule rule, bool pressed);

#endif
