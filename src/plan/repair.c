#include "plan/repair.h"

#include <string.h>

#include "plan/repair_lists.h"

enum { STEPS_BETWEEN_LOOKS = 32 }; /* at the clock */

/* How much more it costs to take out a buffer for which others had to make
 * room: this is what keeps two from pushing each other out for ever. */
#define RISE  1.2
#define NOISE 0.2

static bool goes_before(const struct repair *repair, uint32_t a, uint32_t b)
{
	return repair->ranks[a] < repair->ranks[b];
}

static void waiting_add(struct repair *repair, uint32_t buffer)
{
	uint32_t *heap = repair->waiting;
	uint32_t at = repair->waiting_count++;

	for (; at && goes_before(repair, buffer, heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = buffer;
}

static uint32_t waiting_take(struct repair *repair)
{
	uint32_t *heap = repair->waiting;
	uint32_t first = heap[0], last = heap[--repair->waiting_count];
	uint32_t count = repair->waiting_count, at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < count &&
		    goes_before(repair, heap[child + 1], heap[child]))
			child++;
		if (child >= count || goes_before(repair, last, heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return first;
}

static void take_out(struct repair *repair, uint32_t buffer)
{
	repair_lists_remove(repair, buffer);
	waiting_add(repair, buffer);
}

static void sort_others(struct repair *repair)
{
	uint32_t count = repair->other_count;

	for (uint32_t i = 0; i < count; i++) {
		const struct repair_other *other = &repair->others[i];

		repair->by_offset[i] =
			(struct sort_entry){(uint64_t)other->offset, i};
		repair->by_top[i] =
			(struct sort_entry){(uint64_t)other->top, i};
	}
	sort_entries(repair->by_offset, repair->spare, count);
	sort_entries(repair->by_top, repair->spare, count);
}

/* Where a buffer is put in at the least cost: at the bottom, or upon one of the
 * others. */
static int64_t find_cheapest(struct repair *repair, uint32_t buffer,
			     int64_t limit)
{
	const struct shape *shape = repair->shape;
	const struct sort_entry *by_offset = repair->by_offset;
	const struct sort_entry *by_top = repair->by_top;
	int64_t size = shape->size[buffer], align = shape->align[buffer];
	int64_t offset = 0, best = 0;
	uint32_t count = repair->other_count, begun = 0, ended = 0, upon = 0;
	double cost = 0, least = 0;

	for (;;) {
		/* Those that begin below its top and end above it are in the
		 * way. */
		while (begun < count &&
		       (int64_t)by_offset[begun].key < offset + size)
			cost += repair->others[by_offset[begun++].id].cost;
		while (ended < count && (int64_t)by_top[ended].key <= offset)
			cost -= repair->others[by_top[ended++].id].cost;
		if (begun == ended)
			return offset;
		if (!offset || cost < least) {
			double value = cost * random_between(&repair->random, 1,
							     1 + NOISE);

			if (!offset || value < least) {
				least = value;
				best = offset;
			}
		}
		while (upon < count &&
		       align_up((int64_t)by_top[upon].key, align) <= offset)
			upon++;
		if (upon == count)
			return best;
		offset = align_up((int64_t)by_top[upon].key, align);
		if (offset + size > limit)
			return best;
	}
}

/* One buffer goes into the plan, and others may have to leave it. */
static void put_in_one(struct repair *repair, int64_t limit)
{
	uint32_t buffer = waiting_take(repair);
	int64_t offset = repair_lists_gap(repair, buffer, limit);
	int64_t top;

	if (offset >= 0) {
		repair_lists_add(repair, buffer, offset);
		return;
	}
	repair_lists_others(repair, buffer);
	sort_others(repair);
	offset = find_cheapest(repair, buffer, limit);
	top = offset + repair->shape->size[buffer];
	for (uint32_t i = 0; i < repair->other_count; i++) {
		const struct repair_other *other = &repair->others[i];

		if (other->offset < top && other->top > offset)
			take_out(repair, other->buffer);
	}
	if (repair->costs[buffer] < repair->dearest[buffer])
		repair->costs[buffer] *= RISE;
	repair_lists_add(repair, buffer, offset);
}

void repair_start(struct repair *repair, const int64_t *offsets)
{
	size_t count = repair->shape->count;

	repair_lists_clear(repair);
	repair->waiting_count = 0;
	/* From low to high, as each then goes to the end of its lists. */
	for (uint32_t i = 0; i < count; i++)
		repair->by_offset[i] =
			(struct sort_entry){(uint64_t)offsets[i], i};
	sort_entries(repair->by_offset, repair->spare, count);
	for (uint32_t i = 0; i < count; i++)
		repair_lists_add(repair, repair->by_offset[i].id,
				 (int64_t)repair->by_offset[i].key);
}

uint32_t repair_run(struct repair *repair, int64_t limit, uint32_t steps,
		    struct watch *watch, int64_t *offsets)
{
	const struct shape *shape = repair->shape;
	uint32_t done = 0;

	for (uint32_t i = 0; i < shape->count; i++)
		if (repair->offsets[i] + shape->size[i] > limit)
			take_out(repair, i);
	for (; repair->waiting_count; done++) {
		if (done == steps ||
		    (done % STEPS_BETWEEN_LOOKS == 0 && watch_is_over(watch)))
			return repair_failed;
		put_in_one(repair, limit);
	}
	memcpy(offsets, repair->offsets, shape->count * sizeof *offsets);
	return done;
}
