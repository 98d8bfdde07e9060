#include "holes.h"

#include <time.h>

#include "block/block.h"
#include "pages.h"
#include "region.h"

enum { TRIES = 20, TRY_NS = 1000000 };

static void stretch_add(struct holes *holes, uint64_t from, uint64_t to)
{
	uint64_t bytes = to - from;

	if (!bytes)
		return;
	holes->count++;
	holes->bytes += bytes;
	if (bytes > holes->largest)
		holes->largest = bytes;
}

/* No block lives there. Of virtual memory, there may be no page either. */
static void gap_add(struct holes *holes, const struct heap_region *region,
		    uint64_t from, uint64_t to)
{
	uint64_t begin = from, next;

	for (uint64_t at = from; region->pages && at < to; at = next) {
		next = at - (at - region->region.base) % MNM_REGION_PAGE +
		       MNM_REGION_PAGE;
		if (next > to)
			next = to;
		if (!pages_serve_at(region->pages, at)) {
			stretch_add(holes, begin, at);
			begin = next;
		} else if (region->region.grows &&
			   next - at == MNM_REGION_PAGE) {
			holes->pages += MNM_REGION_PAGE;
		}
	}
	stretch_add(holes, begin, to);
}

/* From the last block on. A thread may free one meanwhile, which is counted as
 * one or the other. */
__attribute__((no_sanitize("thread"))) static void region_visit(
	const struct heap_region *region, void *arg)
{
	uint64_t base = region->region.base, to = base + region->region.bytes;
	uint64_t at = to, word;
	const struct block *block;

	((struct holes *)arg)->regions++;
	while (at > base && (at = starts_before(&region->starts, at - 1))) {
		block = block_find(at, &word);
		if (!block || !word_is_live(word) || at + block->span > to)
			continue;
		gap_add(arg, region, at + block->span, to);
		to = at;
	}
	gap_add(arg, region, base, to);
}

bool holes_look(const struct device *device, struct holes *holes)
{
	const struct timespec moment = {0, TRY_NS};

	for (int i = 0; i < TRIES; i++) {
		*holes = (struct holes){0};
		if (regions_try_each(device, region_visit, holes))
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}
