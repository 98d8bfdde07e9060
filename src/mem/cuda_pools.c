#include "cuda_pools.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "context/context.h"
#include "cuda/backing.h"
#include "heap/mempool.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

enum {
	CUDA_POOLS = 64,
	SERVED_GRAIN = 2 << 20, /* bytes */
	WAITS = 8,
};

/* Under lock, which is held while the driver is asked: a pool that is being
 * destroyed is nobody's to ask about. */
static struct cuda_pool {
	struct CUmemPoolHandle_st *handle;
	struct device *device;
	uint64_t reserved; /* bytes, when it was last asked about */
} pools[CUDA_POOLS];
static size_t pool_count;
static bool met[DEVICE_ALL]; /* the default pool of a device */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic bool any_served;
/* By device: bytes that may be served before its pools are asked about, and
 * waits after which they still are. */
static _Atomic int64_t left[DEVICE_ALL];
static _Atomic int waits[DEVICE_ALL];
static _Atomic bool wanted[DEVICE_ALL]; /* somebody is to ask */
static _Atomic bool asking;             /* a thread does */

/* Under lock. */
static struct cuda_pool *pool_find(const struct CUmemPoolHandle_st *handle)
{
	for (size_t i = 0; i < pool_count; i++)
		if (pools[i].handle == handle)
			return &pools[i];
	return NULL;
}

/* Under lock. */
static void pool_enter(struct CUmemPoolHandle_st *handle, struct device *device)
{
	if (pool_count < CUDA_POOLS && !pool_find(handle))
		pools[pool_count++] = (struct cuda_pool){handle, device, 0};
}

/* Under lock. */
static void pool_set(struct cuda_pool *pool, uint64_t reserved)
{
	if (reserved > pool->reserved)
		counter_add(pool->device, COUNTER_cuda_pool_bytes,
			    reserved - pool->reserved);
	else
		counter_sub(pool->device, COUNTER_cuda_pool_bytes,
			    pool->reserved - reserved);
	pool->reserved = reserved;
}

/* Under lock. */
static void pool_drop(struct cuda_pool *pool)
{
	pool_set(pool, 0);
	*pool = pools[--pool_count];
}

/* Under lock. The default pool is nobody's to make. The current one is known,
 * or the same. */
static void default_meet(struct device *device)
{
	int ordinal = device_ordinal(device);
	struct CUmemPoolHandle_st *current, *standard;

	if (met[ordinal] || ordinal == DEVICE_HOST ||
	    backing_mempool(ordinal, &current, &standard))
		return;
	met[ordinal] = true;
	pool_enter(standard, device);
}

/* Under lock. What mnm serves for the same pool has a peak with it. */
static void pool_ask(struct cuda_pool *pool)
{
	uint64_t reserved;

	if (backing_mempool_reserved(pool->handle, &reserved))
		return;
	pool_set(pool, reserved);
	mempool_reserve_beside(mempool_find(pool->handle), reserved);
}

/* Under lock. */
static void device_ask(struct device *device)
{
	default_meet(device);
	for (size_t i = 0; i < pool_count; i++)
		if (pools[i].device == device)
			pool_ask(&pools[i]);
}

/* Under lock. */
static void ask(void)
{
	for (int i = 0; i < DEVICE_ALL; i++)
		if (atomic_exchange(&wanted[i], false))
			device_ask(device_at(i));
}

static bool is_wanted(void)
{
	bool any = false;

	for (int i = 0; i < DEVICE_ALL; i++)
		any |= atomic_load(&wanted[i]);
	return any;
}

/* Nobody waits for a thread that asks: that one looks again when it is done, so
 * that the last answer is never older than the last event. */
static void ask_all(void)
{
	while (is_wanted() && !atomic_exchange(&asking, true)) {
		pthread_mutex_lock(&lock);
		ask();
		pthread_mutex_unlock(&lock);
		atomic_store(&asking, false);
	}
}

void cuda_pool_add(struct CUmemPoolHandle_st *pool, struct device *device)
{
	pthread_mutex_lock(&lock);
	pool_enter(pool, device);
	pthread_mutex_unlock(&lock);
}

struct device *cuda_pool_remove(const struct CUmemPoolHandle_st *handle)
{
	struct device *device = NULL;
	struct cuda_pool *pool;

	pthread_mutex_lock(&lock);
	pool = pool_find(handle);
	if (pool) {
		device = pool->device;
		pool_drop(pool);
	}
	pthread_mutex_unlock(&lock);
	return device;
}

void cuda_pools_forget(struct device *device)
{
	pthread_mutex_lock(&lock);
	for (size_t i = pool_count; i--;)
		if (pools[i].device == device)
			pool_drop(&pools[i]);
	met[device_ordinal(device)] = false;
	pthread_mutex_unlock(&lock);
	atomic_store(&left[device_ordinal(device)], 0);
	atomic_store(&waits[device_ordinal(device)], 0);
}

void cuda_pools_served(struct device *device, size_t bytes)
{
	int ordinal = device_ordinal(device);

	atomic_store(&any_served, true);
	atomic_store(&waits[ordinal], WAITS);
	if (atomic_fetch_sub(&left[ordinal], (int64_t)bytes) > (int64_t)bytes)
		return;
	atomic_store(&left[ordinal], SERVED_GRAIN);
	atomic_store(&wanted[ordinal], true);
	ask_all();
}

void cuda_pools_freed(struct device *device)
{
	if (atomic_load(&any_served))
		atomic_store(&waits[device_ordinal(device)], WAITS);
}

void cuda_pools_waited(void)
{
	int now;

	if (!atomic_load_explicit(&any_served, memory_order_relaxed))
		return;
	for (int i = 0; i < DEVICE_ALL; i++) {
		now = atomic_load_explicit(&waits[i], memory_order_relaxed);
		if (!now)
			continue;
		/* If it has changed meanwhile, there are more to come. */
		atomic_compare_exchange_strong(&waits[i], &now, now - 1);
		atomic_store(&wanted[i], true);
	}
	ask_all();
}

void cuda_pool_trimmed(const struct CUmemPoolHandle_st *handle)
{
	struct cuda_pool *pool;
	struct device *device = NULL;

	if (!atomic_load(&any_served))
		return;
	pthread_mutex_lock(&lock);
	pool = pool_find(handle);
	if (pool)
		device = pool->device;
	pthread_mutex_unlock(&lock);
	if (!device)
		return;
	atomic_store(&wanted[device_ordinal(device)], true);
	ask_all();
}
