/* Records of caches. One is never given back: it serves the next thread, of
 * whichever device. Those in use are in a list, and nobody walks past others.
 */
#include <sys/mman.h>

#include "caches.h"
#include "fast.h"

struct cache *_Atomic caches;

static struct cache *spare; /* under the caches' lock, linked by next_own */

static struct cache *record_new(void)
{
	struct cache *cache = mmap(NULL, sizeof(*cache), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (cache == MAP_FAILED)
		return NULL;
	cache->hits_left = cache->hits_most = LOOK_EVERY;
	return cache;
}

struct cache *cache_record(struct device *device)
{
	struct cache *cache = spare;

	if (cache)
		spare = cache->next_own;
	else
		cache = record_new();
	if (!cache)
		return NULL;
	cache->device = device;
	cache->epoch = &device->epoch;
	cache->safe = &device->safe;
	cache->next = caches;
	cache_shut(cache, SHUT_RULE);
	atomic_store(&caches, cache);
	return cache;
}

static void record_unlink(struct cache *cache)
{
	struct cache *before = caches;

	if (before == cache) {
		atomic_store(&caches, cache->next);
		return;
	}
	while (before->next != cache)
		before = before->next;
	before->next = cache->next;
}

void cache_spare(struct cache *cache)
{
	cache_forget(cache);
	record_unlink(cache);
	cache->next_own = spare;
	spare = cache;
}
