/* Regions of virtual memory: those that grow, and those that do not. */
#ifndef MNM_GROW_PAGES_H
#define MNM_GROW_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include <mnm/place.h>

struct heap;
struct pool;

/* Neither a CUresult nor TAKE_LIMITED: there is no virtual memory to be had. */
enum { GROW_OTHERWISE = -2 };

/* As heap_grow, for a pool whose regions of virtual memory grow, and for one
 * whose regions are each as large as lacks says, and go back whole. */
int grow_pages(struct heap *heap, struct pool *pool, size_t span,
	       enum mnm_growth rule, bool pressed, bool apart);
int grow_segment(struct heap *heap, struct pool *pool, size_t span,
		 enum mnm_growth rule, bool pressed);

#endif
