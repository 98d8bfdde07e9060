/* What CUDA's own pools (CUmemoryPool) have taken from the device and not given
 * back: COUNTER_cuda_pool_bytes, of the default pool of each device and of what
 * the program has made. A pool that it has destroyed does not count any more.
 *
 * The driver alone knows, and the control thread makes no CUDA call. So threads
 * of the program ask where they pass with a call that is slow anyway, with one
 * question for each pool of the device:
 *
 * - after a request that CUDA served: the first one of a device, and one after
 *   each further 2 MiB that were asked for there;
 * - after a wait for work, if it is one of the first eight since such a request
 *   was served or its memory freed;
 * - after cuMemPoolTrimTo.
 *
 * Nobody asks about devices where CUDA has served no such request. No function
 * here waits for work.
 *
 * These are to be called in a process that is served (serving.h). */
#ifndef MNM_CUDA_POOLS_H
#define MNM_CUDA_POOLS_H

#include <stddef.h>

struct CUmemPoolHandle_st;
struct device;

/* The program has made a pool, or has met one that it did not make. Of more
 * than 64 the rest are not asked about. */
void cuda_pool_add(struct CUmemPoolHandle_st *pool, struct device *device);

/* The program is about to destroy the pool: from now on nobody asks about it.
 * Returns its device, for cuda_pool_add if that fails; or NULL. */
struct device *cuda_pool_remove(const struct CUmemPoolHandle_st *pool);

/* The pools of the device end, as its primary context has ended. Its default
 * pool is met anew at the next request. */
void cuda_pools_forget(struct device *device);

/* CUDA has served a request of a pool on the device; or memory of one was
 * freed. */
void cuda_pools_served(struct device *device, size_t bytes);
void cuda_pools_freed(struct device *device);

/* The program has waited for work, or has trimmed the pool. */
void cuda_pools_waited(void);
void cuda_pool_trimmed(const struct CUmemPoolHandle_st *pool);

#endif
