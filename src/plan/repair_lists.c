#include "plan/repair_lists.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEAST_WIDTH = 8,
	DEAREST = 1 << 20, /* times the first cost; sums have to stay exact
			    * enough for the cheaper ones */
};

/* The part of a buffer before the cut, or the one behind it. False: it has
 * none. */
static bool part_of(const struct repair *repair, uint32_t buffer, int which,
		    struct repair_part *part)
{
	const struct shape *shape = repair->shape;
	uint32_t sections = shape->sections, to = shape->to[buffer];

	*part = (struct repair_part){
		.offset = repair->offsets[buffer],
		.top = repair->offsets[buffer] + shape->size[buffer],
		.from = which ? 0 : shape->from[buffer],
		.to = to,
		.buffer = buffer,
	};
	if (which)
		part->to = to > sections ? to - sections : 0;
	else if (to > sections)
		part->to = sections;
	return part->to != 0;
}

static uint32_t cell_of(const struct repair *repair, uint32_t section)
{
	return section / repair->width;
}

/* How many parts of a list have a lower offset. */
static uint32_t list_find(const struct repair *repair, uint32_t cell,
			  int64_t offset)
{
	const struct repair_part *parts = repair->parts + repair->starts[cell];
	uint32_t low = 0, high = repair->counts[cell];

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (parts[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void list_add(struct repair *repair, uint32_t cell,
		     const struct repair_part *part)
{
	struct repair_part *parts = repair->parts + repair->starts[cell];
	uint32_t at = list_find(repair, cell, part->offset);
	uint32_t count = repair->counts[cell]++;

	memmove(parts + at + 1, parts + at, (count - at) * sizeof *parts);
	parts[at] = *part;
}

static void list_remove(struct repair *repair, uint32_t cell,
			const struct repair_part *part)
{
	struct repair_part *parts = repair->parts + repair->starts[cell];
	uint32_t at = list_find(repair, cell, part->offset);
	uint32_t count = --repair->counts[cell];

	/* A circle's buffer may be in a list with both of its parts. */
	while (parts[at].buffer != part->buffer || parts[at].from != part->from)
		at++;
	memmove(parts + at, parts + at + 1, (count - at) * sizeof *parts);
}

void repair_lists_add(struct repair *repair, uint32_t buffer, int64_t offset)
{
	struct repair_part part;

	repair->offsets[buffer] = offset;
	for (int which = 0; which < 2; which++) {
		if (!part_of(repair, buffer, which, &part))
			continue;
		for (uint32_t cell = cell_of(repair, part.from);
		     cell <= cell_of(repair, part.to - 1); cell++)
			list_add(repair, cell, &part);
	}
}

void repair_lists_remove(struct repair *repair, uint32_t buffer)
{
	struct repair_part part;

	for (int which = 0; which < 2; which++) {
		if (!part_of(repair, buffer, which, &part))
			continue;
		for (uint32_t cell = cell_of(repair, part.from);
		     cell <= cell_of(repair, part.to - 1); cell++)
			list_remove(repair, cell, &part);
	}
	repair->offsets[buffer] = -1;
}

void repair_lists_clear(struct repair *repair)
{
	memset(repair->counts, 0, repair->cells * sizeof *repair->counts);
}

int64_t repair_lists_gap(struct repair *repair, uint32_t buffer, int64_t limit)
{
	const struct shape *shape = repair->shape;
	uint32_t from = shape->from[buffer], to = shape->to[buffer];
	int64_t size = shape->size[buffer], align = shape->align[buffer];
	uint32_t first = cell_of(repair, from), at = 0, count;
	uint32_t *passed = repair->passed;
	int64_t offset = 0;

	if (to > shape->sections)
		return -1;
	count = cell_of(repair, to - 1) + 1 - first;
	memset(passed, 0, count * sizeof *passed);
	/* Around all lists, until nothing in any of them is in the way. Each is
	 * looked at from where it was left, as what lies below that has been
	 * passed for good. */
	for (uint32_t free = 0; free < count; free++) {
		const struct repair_part *parts =
			repair->parts + repair->starts[first + at];
		uint32_t i = passed[at], end = repair->counts[first + at];
		int64_t old = offset;

		for (; i < end && parts[i].offset < offset + size; i++)
			if (parts[i].top > offset && parts[i].from < to &&
			    parts[i].to > from)
				offset = align_up(parts[i].top, align);
		if (offset + size > limit)
			return -1;
		passed[at] = i;
		if (offset > old)
			free = 0;
		at = at + 1 < count ? at + 1 : 0;
	}
	return offset;
}

/* Lists those that live in [from, to). */
static void list_others(struct repair *repair, uint32_t from, uint32_t to)
{
	bool circle = repair->shape->circle;

	for (uint32_t cell = cell_of(repair, from);
	     cell <= cell_of(repair, to - 1); cell++) {
		const struct repair_part *part =
			repair->parts + repair->starts[cell];
		const struct repair_part *end = part + repair->counts[cell];
		/* Of the cells in which a part lives, the first counts. */
		uint32_t begin =
			cell > cell_of(repair, from) ? cell * repair->width : 0;

		for (; part < end; part++) {
			if (part->from >= to || part->to <= from ||
			    part->from < begin)
				continue;
			if (circle) {
				uint32_t *met = &repair->met[part->buffer];

				if (*met == repair->searches)
					continue;
				*met = repair->searches;
			}
			repair->others[repair->other_count++] =
				(struct repair_other){
					part->offset, part->top,
					repair->costs[part->buffer],
					part->buffer};
		}
	}
}

void repair_lists_others(struct repair *repair, uint32_t buffer)
{
	const struct shape *shape = repair->shape;
	uint32_t from = shape->from[buffer], to = shape->to[buffer];
	uint32_t sections = shape->sections;

	repair->searches++;
	repair->other_count = 0;
	list_others(repair, from, to < sections ? to : sections);
	if (to > sections)
		list_others(repair, 0, to - sections);
}

/* The root of a number, rounded down, without the library of mathematics. */
static uint64_t root_of(uint64_t value)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit /= 2)
		if ((root | bit) * (root | bit) <= value)
			root |= bit;
	return root;
}

/* The life counts more than the size: what lives long needs a gap that is free
 * for long. */
static void set_costs(struct repair *repair)
{
	const struct shape *shape = repair->shape;

	for (size_t i = 0; i < shape->count; i++) {
		/* Four bits behind the point. */
		uint64_t size = (uint64_t)shape->size[i];
		uint64_t root =
			size >> 48 ? root_of(size) * 16 : root_of(size << 8);

		repair->costs[i] =
			(double)root * (double)(shape->to[i] - shape->from[i]);
		repair->dearest[i] = repair->costs[i] * DEAREST;
	}
}

/* How many parts each list can have. */
static void set_starts(struct repair *repair)
{
	const struct shape *shape = repair->shape;
	struct repair_part part;

	for (uint32_t i = 0; i < 2 * shape->count; i++) {
		if (!part_of(repair, i / 2, i % 2, &part))
			continue;
		for (uint32_t cell = cell_of(repair, part.from);
		     cell <= cell_of(repair, part.to - 1); cell++)
			repair->starts[cell + 1]++;
	}
	for (uint32_t cell = 0; cell < repair->cells; cell++)
		repair->starts[cell + 1] += repair->starts[cell];
}

static bool allocate(struct repair *repair)
{
	size_t count = repair->shape->count, cells = repair->cells;

	repair->starts = calloc(cells + 1, sizeof *repair->starts);
	repair->counts = calloc(cells, 2 * sizeof *repair->counts);
	repair->offsets = calloc(count, sizeof *repair->offsets);
	repair->costs = calloc(count, 2 * sizeof *repair->costs);
	repair->ranks = calloc(count, 3 * sizeof *repair->ranks);
	repair->others = calloc(count, sizeof *repair->others);
	repair->by_offset = calloc(count, 3 * sizeof *repair->by_offset);
	return repair->starts && repair->counts && repair->offsets &&
	       repair->costs && repair->ranks && repair->others &&
	       repair->by_offset;
}

bool repair_open(struct repair *repair, const struct shape *shape,
		 const uint32_t *ranks, uint64_t seed)
{
	size_t count = shape->count;
	uint64_t sum = 0;

	*repair = (struct repair){.shape = shape, .random = {seed}};
	for (size_t i = 0; i < count; i++)
		sum += shape->to[i] - shape->from[i];
	/* So that buffers are in some three lists on average. */
	sum /= 2 * count + 1;
	repair->width = sum > LEAST_WIDTH ? (uint32_t)sum : LEAST_WIDTH;
	repair->cells = shape->sections / repair->width + 1;
	if (!allocate(repair))
		goto no_memory;
	repair->passed = repair->counts + repair->cells;
	repair->dearest = repair->costs + count;
	repair->waiting = repair->ranks + count;
	repair->met = repair->waiting + count;
	repair->by_top = repair->by_offset + count;
	repair->spare = repair->by_top + count;
	memcpy(repair->ranks, ranks, count * sizeof *ranks);
	set_starts(repair);
	repair->parts = malloc((repair->starts[repair->cells] + 1) *
			       sizeof *repair->parts);
	if (!repair->parts)
		goto no_memory;
	set_costs(repair);
	return true;
no_memory:
	repair_close(repair);
	return false;
}

void repair_close(struct repair *repair)
{
	free(repair->starts);
	free(repair->counts);
	free(repair->parts);
	free(repair->offsets);
	free(repair->costs);
	free(repair->ranks);
	free(repair->others);
	free(repair->by_offset);
}
