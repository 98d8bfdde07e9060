/* The caches of all threads: their records, and when they are closed. */
#include <pthread.h>
#include <sched.h>

#include "cuda/tool.h"
#include "preload/barrier.h"
#include "tcaches.h"
#include "order/capture.h"
#include "fast.h"
#include "order/fence.h"
#include "preload/serving.h"
#include "pools/pool.h"
#include "record/ring.h"
#include "preload/thread.h"

enum { YIELDS = 64 }; /* for a busy thread, before sleeps */

static _Atomic uint64_t epoch_none;

struct tcache tcache_none = {
	.closed = CLOSED_RULE,
	.table = &block_table_none,
	.index = &block_table_none,
	.planned = &block_table_none,
	.epoch = &epoch_none,
	.safe = &epoch_none,
	.way = {.key = WAY_NONE, .asks = WAY_NONE},
};

__thread struct tcache *tcache_current = &tcache_none,
		       *tcache_verified = &tcache_none,
		       *tcache_runtime = &tcache_none;

static __thread struct tcache *own; /* of this thread, linked by next_own */
static __thread bool ended;         /* it exits, and gets no caches any more */
static __thread bool sure_last;     /* of the context that was asked for last */

static _Atomic bool bound;   /* see tcaches_bind */
static _Atomic bool limited; /* see tcaches_limit */

static pthread_mutex_t lock = LOCK_SPINS;

const struct tcache_source *tcache_source;

static struct once start_once = ONCE_INIT;
static struct thread_key watch; /* set in threads that have caches */
static _Atomic bool barriers;   /* the kernel has them */

void tcaches_lock(void)
{
	pthread_mutex_lock(&lock);
}

void tcaches_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* No request names such a pool. */
static void way_forget(struct stream_way *way)
{
	atomic_store(&way->key, WAY_NONE);
	atomic_store(&way->asks, WAY_NONE);
	atomic_store(&way->pool, &tcache_none);
	atomic_store(&way->number, 0);
}

/* Under lock, while the cache is closed, or by its own thread. */
static void ways_forget(struct tcache *cache)
{
	way_forget(&cache->way);
	for (int i = 0; i < STREAM_WAYS; i++)
		way_forget(&cache->ways[i]);
}

/* The names that notes of a recording have. */
static void tcache_number(struct tcache *cache)
{
	const struct pool *pool =
		cache->pool ? cache->pool : cache->pass_through.pool;

	atomic_store(&cache->device_number,
		     (uint8_t)(cache->device ? device_ordinal(cache->device)
					     : MNM_RECORD_NOWHERE));
	atomic_store(&cache->pool_number,
		     (uint8_t)(pool ? pool_number(pool) : 0));
}

/* Sets what the fast path sees of the cache. */
static void tcache_show(struct tcache *cache)
{
	bool closed = cache->closed;
	const struct pool *pool = closed ? NULL : cache->pool;
	struct pool *through =
		closed || limited ? NULL : cache->pass_through.pool;
	bool recorded = record_is_on();
	const struct mnm_size_classes *divided =
		pool && (recorded ||
			 !mnm_size_classes_are_linear(&pool->view.classes))
			? &pool->view.classes
			: NULL;
	struct block_table *index =
		pool ? atomic_load(&block_table) : &block_table_none;

	atomic_store(&cache->pass_through.open, through);
	atomic_store(&cache->divided, divided);
	atomic_store(&cache->unit,
		     pool && !divided ? pool->view.classes.unit : 0);
	atomic_store(&cache->index, index);
	atomic_store(&cache->table, recorded ? &block_table_none : index);
	atomic_store(&cache->recorded, recorded);
	if (recorded)
		tcache_number(cache);
	tcache_course_show(cache);
}

void tcache_close(struct tcache *cache, unsigned int reason)
{
	atomic_fetch_or(&cache->closed, reason);
	tcache_show(cache);
}

void tcache_open(struct tcache *cache, unsigned int reason)
{
	atomic_fetch_and(&cache->closed, ~reason);
	tcache_show(cache);
}

void tcache_serve(struct tcache *cache, struct pool *pool)
{
	bool keeps = pool && pool->view.classes.unit;

	if (cache->pool != (keeps ? pool : NULL))
		ways_forget(cache); /* their owners are of the former pool */
	cache->pool = keeps ? pool : NULL;
	cache->pass_through.pool = keeps ? NULL : pool;
	cache->stats.reserves = cache->pass_through.pool;
	tcache_open(cache, CLOSED_ROOM); /* what it holds now fits */
}

/* Yielding is not enough if this thread has a higher priority and the busy one
 * is on the same core: that one may never leave unless this one sleeps. */
static void pause_for(int turn)
{
	if (turn < YIELDS)
		sched_yield();
	else
		thread_nap(50000);
}

/* Under lock. There is a filter of system calls now, so there are no caches
 * from now on. What other threads have stored is seen long before this
 * returns. */
static void barriers_lost(void)
{
	barriers = false;
	for (struct tcache *at = caches; at; at = at->next)
		tcache_close(at, CLOSED_RULE);
	thread_nap(10000000);
}

/* All threads pass a full barrier: either they see `closed`, or we see that
 * they are busy. */
void tcaches_wait(void)
{
	if (barriers && !barrier_all())
		barriers_lost();
	for (struct tcache *at = caches; at; at = at->next)
		for (int i = 0;
		     atomic_load_explicit(&at->closed, memory_order_relaxed) &&
		     atomic_load_explicit(&at->busy, memory_order_acquire);
		     i++)
			pause_for(i);
}

/* Whether a request or a free has to do more than fast.h does. */
static bool tcache_must_close(const struct tcache *cache)
{
	const struct context *context = cache->context;
	const struct device *device = cache->device;

	return !barriers || !context || context->dead || context->closing ||
	       capture_any() || device->pressed || device->pending ||
	       device->lost || fence_level() == REUSE_SYNC || tool_listens();
}

/* Under lock. Returns whether this has closed the cache. */
static bool tcache_recompute(struct tcache *cache)
{
	unsigned int now = atomic_load(&cache->closed);
	bool closed = now & CLOSED_RULE, must = tcache_must_close(cache), less;

	tcache_course_fit(cache);
	less = cache->pool && !(now & CLOSED_ROOM) &&
	       tcache_room(cache) < cache->stats.idle.most;
	if (less)
		tcache_close(cache, CLOSED_ROOM);
	if (must && !closed)
		tcache_close(cache, CLOSED_RULE);
	if (!must && closed)
		tcache_open(cache, CLOSED_RULE);
	return (must && !closed) || less;
}

void tcaches_recompute(const struct device *device)
{
	bool closed = false;

	if (!atomic_load(&caches))
		return;
	pthread_mutex_lock(&lock);
	for (struct tcache *at = caches; at; at = at->next)
		if (!device || at->device == device)
			closed |= tcache_recompute(at);
	if (closed)
		tcaches_wait();
	pthread_mutex_unlock(&lock);
}

/* Calls `then`, if any, while no call is on the fast path. */
static void all_pass(void (*then)(void))
{
	pthread_mutex_lock(&lock);
	for (struct tcache *at = caches; at; at = at->next)
		tcache_close(at, CLOSED_OTHER);
	tcaches_wait();
	if (then)
		then();
	for (struct tcache *at = caches; at; at = at->next)
		tcache_open(at, CLOSED_OTHER);
	pthread_mutex_unlock(&lock);
}

static void ways_clear(void)
{
	for (struct tcache *at = caches; at; at = at->next)
		ways_forget(at);
}

void tcaches_pass(void)
{
	if (atomic_load(&caches))
		all_pass(ways_clear);
}

void tcaches_limit(bool now)
{
	limited = now;
	all_pass(thread_stats_claim_reserved);
}

void tcaches_invalidate(void)
{
	if (!atomic_load(&caches))
		return;
	pthread_mutex_lock(&lock);
	for (struct tcache *at = caches; at; at = at->next)
		tcache_close(at, CLOSED_LOOKUP);
	tcaches_wait();
	pthread_mutex_unlock(&lock);
}

/* Under lock and the context's, under which blocks move and rooms change. */
static void tcache_bind(struct tcache *cache, struct context *context)
{
	cache->context = context;
	ways_forget(cache);
	tcache_pardon(cache);
	tcache_serve(cache, NULL);
	tcaches_recompute_rooms(context);
	tcache_recompute(cache);
}

/* Under lock. */
static struct tcache *tcache_add(struct device *device)
{
	struct tcache *cache = tcache_record(device);

	if (cache) {
		cache->next_own = own;
		own = cache;
	}
	return cache;
}

/* Under lock. Whether the context has ended and left the cache; a dead one may
 * not have emptied it yet. */
static bool context_has_left(const struct tcache *cache)
{
	return cache->context->dead &&
	       cache->stats.idle.left == cache->stats.idle.most &&
	       !cache->course && !cache->pass_through.pool;
}

/* A new cache of the context, or one of a context that has ended. */
static struct tcache *tcache_begin(struct context *context)
{
	struct tcache *cache = own;

	pthread_mutex_lock(&context->lock);
	pthread_mutex_lock(&lock);
	while (cache &&
	       (cache->device != context->device || !context_has_left(cache)))
		cache = cache->next_own;
	if (!cache)
		cache = tcache_add(context->device);
	if (cache)
		tcache_bind(cache, context);
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&context->lock);
	return cache;
}

static void thread_ended(void *list)
{
	struct tcache *cache;
	struct context *context;

	ended = true;
	tcache_invalidate();
	if (!serving_is_on()) /* a forked child, where locks may stay held */
		return;
	own = NULL;
	for (struct tcache *next = list; (cache = next);) {
		next = cache->next_own;
		tcache_settle(cache);
		context = cache->context;
		pthread_mutex_lock(&context->lock);
		pthread_mutex_lock(&lock);
		tcache_empty(cache);
		cache->context = NULL;
		tcache_recompute(cache);
		tcache_spare(cache);
		tcaches_recompute_rooms(context);
		pthread_mutex_unlock(&lock);
		pthread_mutex_unlock(&context->lock);
	}
}

/* No cache is used at the log level debug, at which each request is logged. */
static void tcaches_start(void)
{
	barriers = barrier_open() && !log_shows(LOG_DEBUG);
	thread_key_open(&watch, thread_ended);
}

static void tcache_set(struct tcache *cache, bool sure)
{
	tcache_current = cache;
	thread_stats_own = &cache->stats;
	tcache_verified = sure ? cache : &tcache_none;
	tcache_runtime = bound ? tcache_verified : &tcache_none;
}

void tcaches_open(const struct tcache_source *from)
{
	tcache_source = from;
	once_run(&start_once, tcaches_start);
}

void tcaches_bind(void)
{
	bound = true;
}

struct tcache *tcache_attach(struct context *context)
{
	struct tcache *cache;

	if (tcache_current != &tcache_none || ended)
		return tcache_current;
	cache = barriers && watch.open ? tcache_begin(context) : NULL;
	if (!cache)
		return tcache_current;
	thread_key_set(&watch, own);
	tcache_set(cache, sure_last);
	return cache;
}

struct tcache *tcache_of(const struct heap *heap)
{
	const struct context *context = heap->context;

	return heap == &context->heap && tcache_current->context == context
		       ? tcache_current
		       : NULL;
}

void tcache_invalidate(void)
{
	tcache_set(&tcache_none, false);
	sure_last = false;
}

struct context *tcache_verified_context(void)
{
	struct context *context = tcache_verified->context;
	bool asks = atomic_load(&tcache_verified->closed) & CLOSED_LOOKUP;

	return asks || !context || context->dead || context->closing ? NULL
								     : context;
}

/* Opens the caches before the question is put: if the context changes after
 * that, they are closed again. */
void tcache_lookup_begin(void)
{
	for (struct tcache *at = own; at; at = at->next_own) {
		if (!(atomic_load(&at->closed) & CLOSED_LOOKUP))
			continue;
		pthread_mutex_lock(&lock);
		tcache_open(at, CLOSED_LOOKUP);
		pthread_mutex_unlock(&lock);
	}
}

void tcache_lookup_end(const struct context *context, bool sure)
{
	struct tcache *cache = own;

	while (cache && cache->context != context)
		cache = cache->next_own;
	tcache_set(context && cache && !ended ? cache : &tcache_none, sure);
	sure_last = sure && context;
}
