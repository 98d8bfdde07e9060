/* What the driver is told of regions: that free bytes go back, and who may use
 * the others. */
#ifndef MNM_REGION_DRIVER_H
#define MNM_REGION_DRIVER_H

#include <stddef.h>
#include <stdint.h>

struct block;
struct context;
struct device;
struct heap;
struct heap_region;

/* Gives the free bytes of a record (block_is_region) back. Waits for the work
 * that may use them. Returns a CUresult; nothing has changed if that is one of
 * backing_is_refused. */
int region_give(const struct heap *heap, const struct block *record);

/* The caller looks at a region of virtual memory no more (region_look), which
 * may be what it has waited for to end. */
void region_unlook(struct heap_region *region);

/* Work of another device may use the context's memory from now on. CUDA sees to
 * that for what cuMemAlloc gives; virtual memory has to be told of it. Returns
 * a CUresult: it may be asked again if that is not 0. */
int regions_allow(struct context *owner, int ordinal);

/* The devices that may use this one's memory, a bit each; and lets those use
 * virtual memory that have been allowed to since these were. */
uint64_t devices_allowed(const struct device *device);
void devices_allow_since(const struct device *device, uint64_t addr,
			 size_t bytes, uint64_t before);

/* The driver has taken the memory of the record's region. */
void region_lose(const struct block *record);

#endif
