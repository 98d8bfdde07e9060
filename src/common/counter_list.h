/* Every figure of `mnm stat`, a row each: COUNTER(name, kind, unit, help), the
 * help in at most 41 characters. Bytes and counts are those of a device in this
 * process. The kinds, and what changes them (stats/counter.h):
 *
 * SUM			what has happened so far; counter_add
 * GAUGE		what there is now; counter_add and counter_sub
 * MAXIMUM		the highest value seen; counter_raise
 * MAXIMUM_OF(gauge)	the highest value of a gauge, which raises it itself
 * TOTAL		the sum of its parts, each a row of COUNTER_PART_LIST
 */
#ifndef MNM_COUNTER_LIST_H
#define MNM_COUNTER_LIST_H

/* clang-format off */
#define COUNTER_LIST \
COUNTER(live_bytes, GAUGE, BYTES, "asked for and not yet freed") \
COUNTER(live_peak, MAXIMUM_OF(live_bytes), BYTES, "highest live_bytes") \
COUNTER(reserved_bytes, GAUGE, BYTES, "taken from the driver and not given back") \
COUNTER(reserved_peak, MAXIMUM_OF(reserved_bytes), BYTES, "highest reserved_bytes") \
COUNTER(idle_bytes, GAUGE, BYTES, "freed by the program, kept for reuse") \
COUNTER(pending_bytes, GAUGE, BYTES, "idle, to go back at the next free") \
COUNTER(quarantined_bytes, GAUGE, BYTES, "freed since the last fence or wait") \
COUNTER(held_bytes, GAUGE, BYTES, "freed in a capture, kept for its graph") \
COUNTER(retired_bytes, GAUGE, BYTES, "live blocks of pools swapped out") \
COUNTER(region_bytes, GAUGE, BYTES, "reserved, in regions to place blocks in") \
COUNTER(managed_bytes, GAUGE, BYTES, "not pooled: cudaMallocManaged") \
COUNTER(pitched_bytes, GAUGE, BYTES, "not pooled: first of each pitched width") \
COUNTER(async_bytes, GAUGE, BYTES, "not pooled: cudaMallocAsync left to CUDA") \
COUNTER(cuda_pool_bytes, GAUGE, BYTES, "held by CUDA's own pools, used or idle") \
COUNTER(array_bytes, GAUGE, BYTES, "not pooled: arrays") \
COUNTER(virtual_bytes, GAUGE, BYTES, "not pooled: cuMemCreate") \
COUNTER(device_bytes, TOTAL, BYTES, "all that the process has, pooled or not") \
COUNTER(imported_bytes, GAUGE, BYTES, "of other processes or APIs, opened here") \
COUNTER(borrowed_bytes, GAUGE, BYTES, "the host's, in place of the device's") \
COUNTER(borrowed_peak, MAXIMUM_OF(borrowed_bytes), BYTES, "highest borrowed_bytes") \
COUNTER(allocs, TOTAL, COUNT, "requests served") \
COUNTER(frees, SUM, COUNT, "blocks freed by the program") \
COUNTER(hits, SUM, COUNT, "requests served from idle blocks") \
COUNTER(misses, SUM, COUNT, "requests served by the driver") \
COUNTER(borrows, SUM, COUNT, "requests served from the host's memory") \
COUNTER(driver_allocs, SUM, COUNT, "allocations by the driver; a page is one") \
COUNTER(driver_frees, SUM, COUNT, "frees by the driver; a page is one") \
COUNTER(regions, GAUGE, COUNT, "regions that blocks are placed in") \
COUNTER(moved_pages, SUM, COUNT, "pages that moved inside their region") \
COUNTER(held_blocks, GAUGE, COUNT, "blocks that held_bytes are made of") \
COUNTER(fences, SUM, COUNT, "events that order reuse, without a wait") \
COUNTER(syncs, SUM, COUNT, "waits for the device, for reuse") \
COUNTER(trims, SUM, COUNT, "trims, and times when memory was short") \
COUNTER(rest_frees, SUM, COUNT, "blocks given back as the program rested") \
COUNTER(failures, SUM, COUNT, "requests that failed") \
COUNTER(iterations, SUM, COUNT, "marked by the program, mnm mark or NVTX")

#define COUNTER_PART_LIST \
PART(allocs, hits) \
PART(allocs, misses) \
PART(allocs, borrows) \
PART(device_bytes, reserved_bytes) \
PART(device_bytes, managed_bytes) \
PART(device_bytes, pitched_bytes) \
PART(device_bytes, async_bytes) \
PART(device_bytes, array_bytes) \
PART(device_bytes, virtual_bytes)
/* clang-format on */

#endif
