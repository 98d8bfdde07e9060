/* Records of caches. A record is never given back to the system: it serves the
 * next thread, on whichever device. Those in use are in a list, so that nobody
 * has to walk past others. */
#include <sys/mman.h>

#include "tcaches.h"
#include "fast.h"

struct tcache *_Atomic caches;

static struct tcache *spare; /* under the caches' lock, linked by next_own */

static struct tcache *record_new(void)
{
	struct tcache *cache =
		mmap(NULL, sizeof(*cache), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (cache == MAP_FAILED)
		return NULL;
	return cache;
}

struct tcache *tcache_record(struct device *device)
{
	struct tcache *cache = spare;

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
	cache->roomy.until = 0; /* the lease was another device's */
	thread_stats_open(&cache->stats, device);
	tcache_close(cache, CLOSED_RULE);
	atomic_store(&caches, cache);
	return cache;
}

static void record_unlink(struct tcache *cache)
{
	struct tcache *before = caches;

	if (before == cache) {
		atomic_store(&caches, cache->next);
		return;
	}
	while (before->next != cache)
		before = before->next;
	before->next = cache->next;
}

void tcache_spare(struct tcache *cache)
{
	thread_stats_close(&cache->stats);
	record_unlink(cache);
	cache->next_own = spare;
	spare = cache;
}
