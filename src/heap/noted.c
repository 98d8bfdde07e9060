#include "noted.h"

#include "block/block.h"
#include "common/pool_choice.h"
#include "context/context.h"
#include "pools/pool.h"
#include "record/ring.h"
#include "record/texts.h"
#include "region.h"

static unsigned int number_of(const struct device *device)
{
	return device ? (unsigned int)device_ordinal(device)
		      : MNM_RECORD_NOWHERE;
}

void noted_request(const struct device *device, size_t size, bool ordered,
		   unsigned int stream, uint64_t addr, int result)
{
	const struct block *block = NULL;
	unsigned int flags;
	uint64_t word;

	if (!record_is_on())
		return;
	flags = record_did_take() | (ordered ? MNM_RECORD_ORDERED : 0);
	if (!result)
		block = block_find(addr, &word);
	/* Without a block: the host's memory serves, which is noted as what no
	 * pool serves. */
	if (!result && !block)
		return;
	record_note(result ? MNM_RECORD_FAILED : MNM_RECORD_ALLOC,
		    MNM_RECORD_SERVED | flags, result ? 0 : addr, size,
		    block ? block->span : 0, number_of(device),
		    block ? pool_number(block_pool(block)) : 0, stream,
		    record_site);
	record_took();
}

void noted_free(const struct device *device, bool ordered,
		const struct block *block)
{
	if (record_is_on())
		record_note(MNM_RECORD_FREE,
			    MNM_RECORD_SERVED |
				    (ordered ? MNM_RECORD_ORDERED : 0),
			    block_addr(block), 0, 0, number_of(device),
			    pool_number(block_pool(block)), 0, record_site);
}

void noted_regain(const struct device *device, const struct block *block)
{
	if (record_is_on())
		record_note(MNM_RECORD_LIVE, MNM_RECORD_SERVED,
			    block_addr(block), block_size(block), block->span,
			    number_of(device), pool_number(block_pool(block)),
			    0, 0);
}

void noted_foreign(enum mnm_record_kind kind, const struct device *device,
		   bool ordered, uint64_t handle, size_t bytes)
{
	if (record_is_on())
		record_note(kind,
			    MNM_RECORD_DRIVER |
				    (ordered ? MNM_RECORD_ORDERED : 0),
			    handle, bytes, bytes, number_of(device), 0, 0,
			    record_site);
}

void noted_swap(const struct device *device, int choice)
{
	if (record_is_on())
		record_note(MNM_RECORD_SWAP, 0, 0,
			    (uintptr_t)pool_choice_name(choice), 0,
			    number_of(device), 0, 0, 0);
}

void noted_trim(const struct device *device, size_t bytes)
{
	if (record_is_on())
		record_note(MNM_RECORD_TRIM, 0, 0, bytes, 0, number_of(device),
			    0, 0, 0);
}

void noted_reserved(const struct device *device, uint64_t bytes)
{
	if (record_is_on())
		record_note(MNM_RECORD_RESERVED, 0, 0, bytes, 0,
			    number_of(device), 0, 0, 0);
}

void noted_mark(void)
{
	if (record_is_on())
		record_note(MNM_RECORD_MARK, 0, 0, 0, 0, MNM_RECORD_NOWHERE, 0,
			    0, 0);
}

void noted_range(enum mnm_record_kind kind, uint64_t number, const char *domain,
		 const char *name)
{
	if (record_is_on() && !record_noting)
		record_note(kind, 0, number,
			    name ? (uintptr_t)record_text(domain, name) : 0, 0,
			    MNM_RECORD_NOWHERE, 0, 0, 0);
}

void noted_region(enum mnm_record_kind kind, const struct heap_region *region)
{
	if (record_is_on())
		record_note(kind, MNM_RECORD_SERVED, region->region.base,
			    region->limit, 0, number_of(region->heap->device),
			    pool_number(region->pool), 0, 0);
}

static void region_visit(const struct heap_region *region, void *arg)
{
	void (*const *each)(const struct mnm_record_event *) = arg;

	(*each)(&(struct mnm_record_event){
		.kind = MNM_RECORD_REGION,
		.flags = MNM_RECORD_SERVED,
		.device = (uint8_t)number_of(region->heap->device),
		.pool = (uint8_t)pool_number(region->pool),
		.address = region->region.base,
		.size = region->limit,
	});
}

void noted_regions(void (*each)(const struct mnm_record_event *event))
{
	regions_each(region_visit, &each);
}

/* A block may be freed, and its record used again, while it is looked at: what
 * is said of it is then corrected by the notes of that. */
__attribute__((no_sanitize("thread"))) static void live_visit(
	struct block *block, uint64_t word, void *arg)
{
	void (*const *each)(const struct mnm_record_event *) = arg;
	const struct pool *pool = block_pool(block);
	const struct heap *heap = pool ? pool->heap : NULL;
	struct mnm_record_event event = {.flags = MNM_RECORD_SERVED};

	if (!word_is_live(word) || !heap)
		return;
	event.address = word & ~BLOCK_BITS;
	event.size = block_size(block);
	event.span = block->span;
	event.device = (uint8_t)number_of(heap->device);
	event.pool = (uint8_t)pool_number(pool);
	if (event.size <= event.span)
		(*each)(&event);
}

void noted_blocks(void (*each)(const struct mnm_record_event *event))
{
	block_walk(live_visit, &each);
}
