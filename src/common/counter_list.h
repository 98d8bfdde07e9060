/* Every figure of `mnm stat`, a row each: COUNTER(name, unit, help), the help
 * in 41 characters. Bytes and counts are totals of a device in this process. */
#ifndef MNM_COUNTER_LIST_H
#define MNM_COUNTER_LIST_H

/* clang-format off */
#define COUNTER_LIST \
COUNTER(live_bytes, BYTES, "asked for and not yet freed") \
COUNTER(live_peak, BYTES, "highest live_bytes") \
COUNTER(reserved_bytes, BYTES, "taken from the driver and not given back") \
COUNTER(reserved_peak, BYTES, "highest reserved_bytes") \
COUNTER(idle_bytes, BYTES, "freed by the program, kept for reuse") \
COUNTER(pending_bytes, BYTES, "idle, to go back at the next free") \
COUNTER(quarantined_bytes, BYTES, "freed since the last fence or wait") \
COUNTER(held_bytes, BYTES, "freed in a capture, kept for its graph") \
COUNTER(retired_bytes, BYTES, "live blocks of pools swapped out") \
COUNTER(managed_bytes, BYTES, "not pooled: cudaMallocManaged") \
COUNTER(pitched_bytes, BYTES, "not pooled: first of each pitched width") \
COUNTER(async_bytes, BYTES, "not pooled: cudaMallocAsync, live alone") \
COUNTER(array_bytes, BYTES, "not pooled: arrays") \
COUNTER(virtual_bytes, BYTES, "not pooled: cuMemCreate") \
COUNTER(device_bytes, BYTES, "all that the process has, pooled or not") \
COUNTER(imported_bytes, BYTES, "of other processes or APIs, opened here") \
COUNTER(allocs, COUNT, "requests served") \
COUNTER(frees, COUNT, "blocks freed by the program") \
COUNTER(hits, COUNT, "requests served from idle blocks") \
COUNTER(misses, COUNT, "requests served by the driver") \
COUNTER(driver_allocs, COUNT, "cuMemAlloc calls that succeeded") \
COUNTER(driver_frees, COUNT, "cuMemFree calls that succeeded") \
COUNTER(held_blocks, COUNT, "blocks that held_bytes are made of") \
COUNTER(fences, COUNT, "events that order reuse, without a wait") \
COUNTER(syncs, COUNT, "waits for the device, for reuse") \
COUNTER(trims, COUNT, "times idle blocks were given back") \
COUNTER(rest_frees, COUNT, "blocks given back as the program rested") \
COUNTER(failures, COUNT, "requests that failed")
/* clang-format on */

#endif
