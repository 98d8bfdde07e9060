/* The caches of all threads: their records, and when they are shut. */
#include <pthread.h>
#include <sched.h>

#include "preload/barrier.h"
#include "caches.h"
#include "order/capture.h"
#include "fast.h"
#include "order/fence.h"
#include "preload/serving.h"
#include "pools/pool.h"
#include "preload/thread.h"

enum { YIELDS = 64 }; /* to a busy thread, before sleeps */

static _Atomic uint64_t epoch_none;

struct cache cache_none = {
	.shut = SHUT_RULE,
	.table = &block_table_none,
	.epoch = &epoch_none,
	.safe = &epoch_none,
};

__thread struct cache *cache_last = &cache_none, *cache_sure = &cache_none,
		      *cache_bound = &cache_none;

static __thread struct cache *own; /* of this thread, linked by next_own */
static __thread bool ended;        /* it exits: no caches any more */
static __thread bool sure_last;    /* of the context that was asked for last */

static _Atomic bool bound;   /* see caches_bind */
static _Atomic bool limited; /* see caches_limit */

static pthread_mutex_t lock = LOCK_SPINS;

const struct cache_source *cache_source;

static struct once start_once = ONCE_INIT;
static struct thread_key watch; /* set in threads that have caches */
static _Atomic bool barriers;   /* the kernel has them */

void caches_lock(void)
{
	pthread_mutex_lock(&lock);
}

void caches_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* What the fast path sees of it. */
static void cache_show(struct cache *cache)
{
	bool shut = cache->shut;
	const struct pool *pool = shut ? NULL : cache->pool;
	struct pool *direct = shut || limited ? NULL : cache->direct.pool;

	atomic_store(&cache->direct.open, direct);
	atomic_store(&cache->unit, pool ? pool->unit : 0);
	atomic_store(&cache->table,
		     pool ? atomic_load(&block_table) : &block_table_none);
}

void cache_shut(struct cache *cache, unsigned int reason)
{
	atomic_fetch_or(&cache->shut, reason);
	cache_show(cache);
}

void cache_open(struct cache *cache, unsigned int reason)
{
	atomic_fetch_and(&cache->shut, ~reason);
	cache_show(cache);
}

void cache_serve(struct cache *cache, struct pool *pool)
{
	bool keeps = pool && pool->unit;

	cache->pool = keeps ? pool : NULL;
	cache->direct.pool = keeps ? NULL : pool;
	cache_open(cache, SHUT_ROOM); /* what it holds now fits */
}

/* A thread of a higher priority has to sleep, or the other one, on the same
 * core, may never leave. */
static void pause_for(int turn)
{
	if (turn < YIELDS)
		sched_yield();
	else
		thread_nap(50000);
}

/* Under lock. A filter of system calls has come: no caches from now on. What
 * other threads have stored is seen long before this returns. */
static void barriers_lost(void)
{
	barriers = false;
	for (struct cache *at = caches; at; at = at->next)
		cache_shut(at, SHUT_RULE);
	thread_nap(10000000);
}

/* All threads pass a full barrier: they see `shut`, or we that they are
 * busy. */
void caches_wait(void)
{
	if (barriers && !barrier_all())
		barriers_lost();
	for (struct cache *at = caches; at; at = at->next)
		for (int i = 0;
		     atomic_load_explicit(&at->shut, memory_order_relaxed) &&
		     atomic_load_explicit(&at->busy, memory_order_acquire);
		     i++)
			pause_for(i);
}

/* All that makes a request or a free more than what fast.h does. */
static bool cache_must_shut(const struct cache *cache)
{
	const struct context *context = cache->context;
	const struct device *device = cache->device;

	return !barriers || !context || context->dead || context->closing ||
	       capture_any() || device->pressed || device->pending ||
	       device->lost || fence_level() == FENCE_SYNC;
}

/* Under lock. Returns whether it has been shut by this. */
static bool cache_review(struct cache *cache)
{
	unsigned int now = atomic_load(&cache->shut);
	bool shut = now & SHUT_RULE, must = cache_must_shut(cache), less;

	less = cache->pool && !(now & SHUT_ROOM) &&
	       cache_room(cache) < cache->room;
	if (less)
		cache_shut(cache, SHUT_ROOM);
	if (must && !shut)
		cache_shut(cache, SHUT_RULE);
	if (!must && shut)
		cache_open(cache, SHUT_RULE);
	return (must && !shut) || less;
}

void caches_review(const struct device *device)
{
	bool shut = false;

	if (!atomic_load(&caches))
		return;
	pthread_mutex_lock(&lock);
	for (struct cache *at = caches; at; at = at->next)
		if (!device || at->device == device)
			shut |= cache_review(at);
	if (shut)
		caches_wait();
	pthread_mutex_unlock(&lock);
}

/* No call is on the fast path while `then`, if any, is called. */
static void all_pass(void (*then)(void))
{
	pthread_mutex_lock(&lock);
	for (struct cache *at = caches; at; at = at->next)
		cache_shut(at, SHUT_OTHER);
	caches_wait();
	if (then)
		then();
	for (struct cache *at = caches; at; at = at->next)
		cache_open(at, SHUT_OTHER);
	pthread_mutex_unlock(&lock);
}

void caches_pass(void)
{
	if (atomic_load(&caches))
		all_pass(NULL);
}

void caches_limit(bool now)
{
	limited = now;
	all_pass(caches_count_reserved);
}

void caches_ask(void)
{
	if (!atomic_load(&caches))
		return;
	pthread_mutex_lock(&lock);
	for (struct cache *at = caches; at; at = at->next)
		cache_shut(at, SHUT_ASK);
	caches_wait();
	pthread_mutex_unlock(&lock);
}

/* Under lock, and the context's, under which room_left is changed. */
static void cache_bind(struct cache *cache, struct context *context)
{
	cache->context = context;
	cache_pardon(cache);
	cache_serve(cache, NULL);
	caches_review_rooms(context);
	cache_review(cache);
}

/* Under lock. */
static struct cache *cache_add(struct device *device)
{
	struct cache *cache = cache_record(device);

	if (cache) {
		cache->next_own = own;
		own = cache;
	}
	return cache;
}

/* Under lock. One that is dead may not have been emptied yet. */
static bool context_has_left(const struct cache *cache)
{
	return cache->context->dead && cache->room_left == cache->room &&
	       !cache->direct.pool;
}

/* That of a context that has ended serves again. */
static struct cache *cache_begin(struct context *context)
{
	struct cache *cache = own;

	pthread_mutex_lock(&context->lock);
	pthread_mutex_lock(&lock);
	while (cache &&
	       (cache->device != context->device || !context_has_left(cache)))
		cache = cache->next_own;
	if (!cache)
		cache = cache_add(context->device);
	if (cache)
		cache_bind(cache, context);
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&context->lock);
	return cache;
}

static void thread_ended(void *list)
{
	struct cache *cache;
	struct context *context;

	ended = true;
	cache_unsure();
	if (!serving_is_on()) /* a forked child, where locks may stay held */
		return;
	own = NULL;
	for (struct cache *next = list; (cache = next);) {
		next = cache->next_own;
		context = cache->context;
		pthread_mutex_lock(&context->lock);
		pthread_mutex_lock(&lock);
		cache_empty(cache);
		cache->context = NULL;
		cache_review(cache);
		cache_spare(cache);
		caches_review_rooms(context);
		pthread_mutex_unlock(&lock);
		pthread_mutex_unlock(&context->lock);
	}
}

/* Each request is to be told of: none on the fast path. */
static void start(void)
{
	barriers = barrier_open() && !log_shows(LOG_DEBUG);
	thread_key_open(&watch, thread_ended);
}

static void cache_set(struct cache *cache, bool sure)
{
	cache_last = cache;
	cache_sure = sure ? cache : &cache_none;
	cache_bound = bound ? cache_sure : &cache_none;
}

void caches_open(const struct cache_source *from)
{
	cache_source = from;
	once_run(&start_once, start);
}

void caches_bind(void)
{
	bound = true;
}

struct cache *cache_current(struct context *context)
{
	struct cache *cache;

	if (cache_last != &cache_none || ended)
		return cache_last;
	cache = barriers && watch.open ? cache_begin(context) : NULL;
	if (!cache)
		return cache_last;
	thread_key_set(&watch, own);
	cache_set(cache, sure_last);
	return cache;
}

struct cache *cache_of(const struct store *store)
{
	const struct context *context = store->context;

	return store == &context->store && cache_last->context == context
		       ? cache_last
		       : NULL;
}

void cache_unsure(void)
{
	cache_set(&cache_none, false);
	sure_last = false;
}

struct context *cache_sure_of(void)
{
	struct context *context = cache_sure->context;
	bool asks = atomic_load(&cache_sure->shut) & SHUT_ASK;

	return asks || !context || context->dead || context->closing ? NULL
								     : context;
}

/* First: what is changed after the question is to be asked again. */
void cache_asking(void)
{
	for (struct cache *at = own; at; at = at->next_own) {
		if (!(atomic_load(&at->shut) & SHUT_ASK))
			continue;
		pthread_mutex_lock(&lock);
		cache_open(at, SHUT_ASK);
		pthread_mutex_unlock(&lock);
	}
}

void cache_asked(const struct context *context, bool sure)
{
	struct cache *cache = own;

	while (cache && cache->context != context)
		cache = cache->next_own;
	cache_set(context && cache && !ended ? cache : &cache_none, sure);
	sure_last = sure && context;
}
