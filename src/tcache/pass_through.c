/* The parts of pass-through that are off the fast path. Those that concern the
 * heap are in heap/fresh.c. */
#include "checked/checked.h"
#include "tcaches.h"
#include "pass_through.h"
#include "pools/pool.h"

/* A pool that is switched off is replaced by a request that is not on the fast
 * path. */
void pass_through_adopt(struct tcache *cache, struct pool *pool)
{
	if (!cache || cache->pass_through.pool == pool ||
	    pool_ops_keep(pool->view.ops) || checked_is_off(pool->view.ops))
		return;
	tcaches_lock();
	tcache_serve(cache, pool);
	tcaches_unlock();
	thread_stats_sync(&cache->stats); /* for the peak of what is reserved */
}

void pass_through_settle(struct tcache *cache)
{
	struct pass_through *counts = &cache->pass_through;
	struct pool *pool = counts->pool;

	if (!pool)
		return;
	pool->view.live_count += (size_t)counts->outstanding;
	pool->view.live_span += (size_t)counts->outstanding_span;
	counts->outstanding = counts->outstanding_span = 0;
}

/* Asks for the current context now and then. It may change by an entry point
 * that we do not see: only the driver can tell, and a thread whose calls all
 * pass through asks it for no other reason. */
void pass_through_sync(struct tcache *cache)
{
	thread_stats_sync(&cache->stats);
	if (cache == tcache_verified && cache->stats.taken % LOOK_EVERY == 0)
		context_current();
}
