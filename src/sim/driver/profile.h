/* A device's size and prices, read from a text file of `key value` lines. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

/* Every number is a uint64_t, so that one table can name them all. Times are
 * virtual ns, rates bytes a microsecond (MB/s). */
struct profile {
	char name[64];
	uint64_t capacity; /* bytes */
	uint64_t compute_major, compute_minor;
	uint64_t multiprocessors, threads_per_multiprocessor;
	uint64_t clock_khz, memory_clock_khz, bus_bits, l2_bytes;
	uint64_t shared_bytes;  /* that a block can opt in to */
	uint64_t pinned_most;   /* bytes of host memory; 0 for no limit */
	uint64_t queue_most;    /* operations of a stream; 0 for no limit */
	uint64_t managed_fixed; /* 1 if managed memory never moves to the host,
				   so that the capacity limits it */
	uint64_t ideal;         /* 1 if costs are 0; see quick.h */

	uint64_t call_ns; /* any call, on top of what follows */
	uint64_t context_ns;
	uint64_t alloc_ns, alloc_ns_per_mib;
	uint64_t free_ns, free_ns_per_mib;
	uint64_t small_alloc_ns, small_free_ns;  /* the same below 2 MiB */
	uint64_t create_ns, create_ns_per_mib;   /* cuMemCreate */
	uint64_t release_ns, release_ns_per_mib; /* cuMemRelease */
	uint64_t pool_ns; /* cuMemAllocAsync, cuMemFreeAsync */
	uint64_t info_ns; /* cuMemGetInfo */
	uint64_t map_ns, unmap_ns, access_ns; /* cuMemMap, -Unmap, -SetAccess */
	uint64_t host_alloc_ns, host_alloc_ns_per_mib, host_free_ns;
	uint64_t submit_ns; /* the host's part of a launch, copy or fill */
	uint64_t event_ns;
	uint64_t kernel_ns, kernel_ps_per_thread;
	uint64_t copy_ns, fill_ns; /* before the first byte */
	uint64_t pinned_rate, pageable_rate, device_rate, peer_rate;
	uint64_t callback_ns;
};

/* Reads MNM_SIM (t4, a100, h200, ideal, PATH or BYTES), MNM_SIM_PINNED,
 * MNM_SIM_QUEUE, MNM_SIM_MANAGED_FIXED and MNM_SIM_CLOCK. If something is
 * wrong, says so on stderr and returns CUDA_ERROR_NO_DEVICE. */
CUresult profile_open(struct profile *profile);

#endif
