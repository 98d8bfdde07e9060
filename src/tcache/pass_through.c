/* What requests and frees that are the driver's leave to others; what they do
 * where it is no plain time is in heap/fresh.c. */
#include "caches.h"
#include "pass_through.h"
#include "pools/pool.h"

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

/* Nothing but a question to the driver could tell that a door is not seen by
 * which the current context has changed, and it is asked for no other reason.
 */
void direct_look(struct cache *cache)
{
	cache_look(cache);
	if (cache == cache_sure && cache->direct.taken % LOOK_EVERY == 0)
		context_current();
}
