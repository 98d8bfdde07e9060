#include "regions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of regions that begin at the address or before it. */
static size_t place_of(const struct regions *regions, uint64_t address)
{
	size_t low = 0, high = regions->count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (regions->rows[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last one that begins at the address or before it, or NULL. */
static struct region *before(const struct regions *regions, uint64_t address)
{
	size_t place = place_of(regions, address);

	return place ? &regions->rows[place - 1] : NULL;
}

static struct region *begins_at(const struct regions *regions, uint64_t address)
{
	struct region *region = before(regions, address);

	return region && region->address == address ? region : NULL;
}

static bool has_room(struct regions *regions)
{
	size_t room = 2 * regions->room + 16;
	struct region *more;

	if (regions->count < regions->room)
		return true;
	more = realloc(regions->rows, room * sizeof(*more));
	if (!more)
		return false;
	regions->rows = more;
	regions->room = room;
	return true;
}

static void region_add(struct regions *regions,
		       const struct mnm_record_event *event)
{
	struct region *region = begins_at(regions, event->address), *rows;
	size_t place;

	if (!region) {
		if (!has_room(regions))
			return;
		place = place_of(regions, event->address);
		rows = regions->rows;
		memmove(rows + place + 1, rows + place,
			(regions->count - place) * sizeof(*rows));
		regions->count++;
		region = &rows[place];
	}
	*region = (struct region){.address = event->address,
				  .size = event->size,
				  .pool = event->pool};
}

static void region_remove(struct regions *regions, uint64_t address)
{
	struct region *region = begins_at(regions, address);
	size_t place;

	if (!region)
		return;
	place = (size_t)(region - regions->rows);
	regions->count--;
	memmove(region, region + 1, (regions->count - place) * sizeof(*region));
}

void regions_note(struct regions *regions, const struct mnm_record_event *event)
{
	if (event->kind == MNM_RECORD_REGION)
		region_add(regions, event);
	if (event->kind == MNM_RECORD_REGION_END)
		region_remove(regions, event->address);
}

void regions_close(struct regions *regions)
{
	free(regions->rows);
	*regions = (struct regions){0};
}

static int by_live(const void *a, const void *b)
{
	const struct region *first = a, *second = b;

	return (first->live < second->live) - (first->live > second->live);
}

/* Counts what lives in each. */
static void blocks_count(const struct regions *regions,
			 const struct peak_blocks *peak)
{
	for (size_t i = 0; i < peak->count; i++) {
		const struct peak_block *block = &peak->blocks[i];
		struct region *region = before(regions, block->address);

		if (!region || block->address - region->address >= region->size)
			continue;
		region->blocks++;
		region->live += block->span ? block->span : block->size;
	}
}

static json_t *region_json(const struct region *region,
			   const struct mnm_record *record)
{
	char address[24];

	snprintf(address, sizeof(address), "%#" PRIx64, region->address);
	return json_pack("{s:s,s:I,s:s,s:I,s:I}", "address", address, "size",
			 (json_int_t)region->size, "pool",
			 mnm_record_pool(record, region->pool), "live",
			 (json_int_t)region->live, "blocks",
			 (json_int_t)region->blocks);
}

json_t *regions_json(const struct regions *regions,
		     const struct peak_blocks *peak,
		     const struct mnm_record *record)
{
	struct regions own = {.count = regions->count};
	json_t *list = json_array();

	own.rows = calloc(own.count + 1, sizeof(*own.rows));
	if (!own.rows)
		return list;
	for (size_t i = 0; i < own.count; i++)
		own.rows[i] = regions->rows[i];
	blocks_count(&own, peak);
	qsort(own.rows, own.count, sizeof(*own.rows), by_live);
	for (size_t i = 0; i < own.count && i < REGIONS_SHOWN; i++)
		if (own.rows[i].blocks)
			json_array_append_new(
				list, region_json(&own.rows[i], record));
	regions_close(&own);
	return list;
}
