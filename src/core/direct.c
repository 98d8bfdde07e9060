/* What requests and frees that are the driver's leave to others. */
#include <cuda.h>

#include "caches.h"
#include "direct.h"
#include "fence.h"
#include "fresh.h"
#include "pools.h"

void direct_adopt(struct cache *cache, struct pool *pool)
{
	if (!cache || cache->direct.pool == pool || pool->ops->alloc)
		return;
	caches_lock();
	cache_serve(cache, pool);
	caches_unlock();
	cache_look(cache); /* for the peak of what is reserved */
}

void direct_settle(struct cache *cache)
{
	struct direct *direct = &cache->direct;
	struct pool *pool = direct->pool;

	if (!pool)
		return;
	pool->live_count += (size_t)direct->lent;
	pool->live_span += (size_t)direct->lent_span;
	direct->lent = direct->lent_span = 0;
}

/* Meanwhile something has begun that is not plain, or ended, or the pool was
 * swapped out. */
void direct_know_slowly(struct pool *pool, uint64_t addr, size_t size)
{
	struct device *device = pool->store->device;

	device_claim(device, size);
	device_reserve(device, size);
	counter_add(device, COUNTER_driver_allocs, 1);
	fresh_know(pool, size, size, addr);
}

bool direct_failed(struct pool *pool, size_t size, int result)
{
	struct device *device = pool->store->device;

	device_check(device, result);
	fresh_cancel(pool, size); /* the pool may end */
	if (result == CUDA_ERROR_OUT_OF_MEMORY)
		return false;
	counter_add(device, COUNTER_failures, 1);
	return true;
}

/* Nothing but a question to the driver could tell that a door is not seen by
 * which the current context has changed, and it is asked for no other reason.
 */
void direct_look(struct cache *cache)
{
	cache_look(cache);
	if (cache == cache_sure && cache->direct.taken % LOOK_EVERY == 0)
		context_current();
}
