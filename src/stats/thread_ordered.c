#include "thread_ordered.h"

/* What needed no new bytes last gets one part in so many of those that are
 * left. */
enum { PART = 8 };

TORN void ordered_join(struct thread_stats *stats)
{
	struct countdown *part = &stats->ordered;
	struct countdown *whole[] = {&stats->live,
				     &stats->mempools[stats->mempool]};

	if (part->left < 0 || stats->live.left < 0)
		stats->ordered_asks = part->left < 0;
	for (int i = 0; i < 2; i++) {
		whole[i]->left += part->left;
		whole[i]->most += part->most;
	}
	*part = (struct countdown){0};
}

TORN void ordered_part(struct thread_stats *stats)
{
	struct countdown *live = &stats->live;
	struct countdown *pool = &stats->mempools[stats->mempool];
	int64_t least = live->left < pool->left ? live->left : pool->left;
	int64_t share = least / PART;

	if (!stats->mempool || least <= 0)
		return;
	if (stats->ordered_asks)
		share = least - share;
	live->left -= share;
	live->most -= share;
	pool->left -= share;
	pool->most -= share;
	stats->ordered = (struct countdown){share, share};
}

TORN int64_t ordered_bytes(const struct thread_stats *stats,
			   unsigned int number)
{
	const struct countdown *pool = &stats->mempools[number];
	int64_t bytes = pool->most - pool->left;

	if (stats->mempool == number)
		bytes += stats->ordered.most - stats->ordered.left;
	return bytes;
}
