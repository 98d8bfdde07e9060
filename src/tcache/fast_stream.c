#include "fast_stream.h"

#include "stats/mempool_stats.h"

__thread struct stream_way stream_ways[STREAM_WAYS];

void stream_way_set(const struct stream_way *way)
{
	unsigned int mempool = (unsigned int)(way->tag >> USE_BITS);
	struct stream_way *place = stream_way_of(way->key);

	if (!way->number || way->cache == &tcache_none)
		return;
	mempool_notice(mempool);
	*place = *way;
	place->room = &way->cache->stats.mempools[mempool].left;
}
