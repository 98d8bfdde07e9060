/* The regions of all pools: what they are made of, and which block an address
 * in one belongs to. A pool that places blocks sees struct mnm_region alone
 * (mnm/place.h). */
#ifndef MNM_REGION_H
#define MNM_REGION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/pool_choice.h"
#include <mnm/place.h>
#include "starts.h"

struct block;
struct context;
struct device;
struct heap;
struct pages;
struct pool;

struct heap_region {
	struct mnm_region region; /* first */
	struct heap *heap;
	struct pool *pool;
	enum mnm_backing backing; /* what it is made of */
	size_t limit;             /* bytes that it may grow to */
	struct pages *pages;      /* of virtual memory; else NULL */
	struct block *record;     /* to give it back by; NULL if it has pages */
	struct starts starts;
	bool away; /* removed from the table */
	/* Pages are on their way to addresses that were claimed before. */
	bool grows_inside;
	void *tool; /* cuda/tool.h's handle */
};

/* Makes a region of memory that the driver has given, and notes it. Of virtual
 * memory, it has pages, whose addresses it may grow to. Returns NULL without
 * memory. */
struct heap_region *region_new(struct pool *pool, uint64_t base, size_t bytes,
			       enum mnm_backing backing, struct pages *pages);

/* Removes a region from the table: its memory is about to go back. region_known
 * undoes that if it has not; region_free ends the record. The first is called
 * under the context's lock. */
void region_unknown(struct heap_region *region);
void region_known(struct heap_region *region);
void region_free(struct heap_region *region);

/* The region that an address is in, or NULL. It stays while the caller has the
 * lock of its context, or a block of it. */
struct heap_region *region_at(uint64_t addr);

/* Under the context's lock: the region of the heap that has a block. */
struct heap_region *region_of_block(struct heap *heap, uint64_t addr);

/* Under the context's lock: a block begins there, or does so no more. */
void region_mark(struct heap_region *region, uint64_t addr);
void region_unmark(struct heap_region *region, uint64_t addr);

/* Calls each for every region, under a lock. */
void regions_each(void (*each)(const struct heap_region *region, void *arg),
		  void *arg);

/* Whether a region of that pool has the address. */
bool pool_has_region_at(const struct pool *pool, uint64_t addr);

/* While a context is ending, the driver may give the addresses of its regions
 * out again before we hear of its end. So what the program says of an address
 * is not about these: the functions below take them for free. region_await
 * returns once it is known whether the context has ended; whoever would be
 * wrong about a live block otherwise asks it first. */
void region_await(uint64_t addr);
bool region_has(uint64_t addr);

/* Whether the address is in a region, and what that is made of. *start is where
 * the block begins that the address may be in; 0 if there is none. */
bool region_block_at(uint64_t addr, uint64_t *start, enum mnm_backing *backing);

/* Calls visit for each region of the device under its context's lock, without
 * waiting for a lock: if one is not free, returns false, and not all were
 * visited. */
bool regions_try_each(const struct device *device,
		      void (*visit)(const struct heap_region *region,
				    void *arg),
		      void *arg);

/* Whether there has been a region. */
extern _Atomic bool regions_any;
static inline bool regions_exist(void)
{
	return atomic_load_explicit(&regions_any, memory_order_relaxed);
}

/* Some region of the heap, or NULL. */
struct heap_region *region_of_heap(const struct heap *heap);

/* Some region of the pool that is virtual and not to end, or NULL. */
struct heap_region *region_of_pool(const struct pool *pool);

/* The first region of virtual memory that begins at that address or after it
 * and belongs to the heap, or NULL. It does not end before region_look_ended.
 */
struct heap_region *region_look(const struct heap *heap, uint64_t addr);

/* The caller looks at it no more. Returns whether it is to end now: then it has
 * been removed from the table, and the caller ends it. The second asks the
 * same, after so many bytes of pages have left. Both take and drop the
 * context's lock. */
bool region_look_ended(struct heap_region *region);
bool region_pages_left(struct heap_region *region, size_t bytes);

/* The context of a region that has one of these addresses, or NULL. */
struct context *region_context_over(uint64_t addr, size_t bytes);

#endif
