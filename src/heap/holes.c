#include "holes.h"

#include <time.h>

#include "block/block.h"
#include "pages.h"
#include "region.h"

enum {
	TRIES = 20,
	TRY_NS = 1000000,
	/* Starts of blocks. Other threads wait for the locks meanwhile: some 10
	 * ms on a machine of 2 cores. */
	STARTS_MOST = 1 << 17,
};

struct look {
	struct holes *holes;
	unsigned int starts;
};

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
	struct look *look = arg;
	const struct block *block;

	look->holes->regions++;
	while (at > base && look->starts < STARTS_MOST &&
	       (at = starts_before(&region->starts, at - 1))) {
		look->starts++;
		block = block_find(at, &word);
		if (!block || !word_is_live(word) || at + block->span > to)
			continue;
		gap_add(look->holes, region, at + block->span, to);
		to = at;
	}
	gap_add(look->holes, region, base, to);
}

bool holes_look(const struct device *device, struct holes *holes)
{
	const struct timespec moment = {0, TRY_NS};

	for (int i = 0; i < TRIES; i++) {
		struct look look = {.holes = holes};

		*holes = (struct holes){0};
		if (regions_try_each(device, region_visit, &look))
			return look.starts < STARTS_MOST;
		nanosleep(&moment, NULL);
	}
	return false;
}
