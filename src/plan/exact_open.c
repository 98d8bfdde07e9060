#include "plan/exact.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CHANGES = 1024 };

/* The coarsest unit in which nothing is lost, or, where the numbers were too
 * large for it, the finest. */
static uint64_t unit_of(const struct shape *shape)
{
	uint64_t unit = 1;
	int64_t sum = 0;

	for (size_t i = 0; i < shape->count; i++)
		sum += shape->size[i] + shape->align[i];
	while (sum / (int64_t)unit > EXACT_LARGEST)
		unit *= 2;
	return unit;
}

static void set_buffers(struct exact *exact)
{
	const struct shape *shape = exact->shape;
	int64_t unit = (int64_t)exact->unit;

	for (uint32_t i = 0; i < exact->count; i++) {
		struct exact_buffer *buffer = &exact->buffers[i];
		int64_t align = shape->align[i] / unit;

		exact->sizes[i] = (int32_t)((shape->size[i] + unit - 1) / unit);
		buffer->align = align > 1 ? (int32_t)align : 1;
		buffer->lives[0].from = shape->from[i];
		buffer->lives[0].to = shape->to[i];
		if (shape->to[i] > exact->sections) {
			buffer->lives[0].to = exact->sections;
			buffer->lives[1].to = shape->to[i] - exact->sections;
		}
		for (int part = 0; part < 2; part++)
			for (uint32_t s = buffer->lives[part].from;
			     s < buffer->lives[part].to; s++)
				exact->load[s] += exact->sizes[i];
	}
}

/* Nothing has failed yet: any section will do. */
static void set_looks(struct exact *exact)
{
	exact->blamed = exact_none;
	for (uint32_t i = 0; i < exact->count; i++) {
		exact->looks[i].under = i;
		exact_look_at(exact, i, 0);
	}
}

static bool are_twins(const struct shape *shape, uint32_t a, uint32_t b)
{
	return shape->from[a] == shape->from[b] &&
	       shape->to[a] == shape->to[b] &&
	       shape->size[a] == shape->size[b] &&
	       shape->align[a] == shape->align[b];
}

/* Lists neighbours, and links twins to rings. */
static bool set_neighbours(struct exact *exact)
{
	const struct shape *shape = exact->shape;
	size_t count = 0, room = 0;

	for (uint32_t i = 0; i < exact->count; i++) {
		exact->buffers[i].twin = i;
		exact->starts[i] = (uint32_t)count;
		for (uint32_t j = 0; j < exact->count; j++) {
			if (i == j || !shape_conflict(shape, i, j))
				continue;
			if (j < i && exact->buffers[i].twin == i &&
			    are_twins(shape, i, j)) {
				exact->buffers[i].twin = exact->buffers[j].twin;
				exact->buffers[j].twin = i;
			}
			if (count == room) {
				uint32_t *more;

				room = room * 2 + 1024;
				more = realloc(exact->neighbours,
					       room * sizeof *more);
				if (!more)
					return false;
				exact->neighbours = more;
			}
			exact->neighbours[count++] = j;
		}
	}
	exact->starts[exact->count] = (uint32_t)count;
	return true;
}

bool exact_lives_in(const struct exact_buffer *buffer, uint32_t section)
{
	return (section >= buffer->lives[0].from &&
		section < buffer->lives[0].to) ||
	       section < buffer->lives[1].to;
}

static bool set_members(struct exact *exact)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < exact->count; i++)
		sum += exact->shape->to[i] - exact->shape->from[i];
	exact->members = malloc((sum + 1) * sizeof *exact->members);
	if (!exact->members)
		return false;
	sum = 0;
	for (uint32_t s = 0; s < exact->sections; s++) {
		exact->member_starts[s] = (uint32_t)sum;
		for (uint32_t i = 0; i < exact->count; i++)
			if (exact_lives_in(&exact->buffers[i], s))
				exact->members[sum++] = i;
	}
	exact->member_starts[exact->sections] = (uint32_t)sum;
	return true;
}

static bool exact_allocate(struct exact *exact)
{
	size_t n = exact->count, s = exact->sections;

	exact->buffers = calloc(n, sizeof *exact->buffers);
	exact->keys = calloc(n, sizeof *exact->keys);
	exact->sizes = calloc(n, 2 * sizeof *exact->sizes);
	exact->starts = calloc(n + 1, sizeof *exact->starts);
	exact->member_starts = calloc(s + 1, sizeof *exact->member_starts);
	exact->load = calloc(s, 4 * sizeof *exact->load);
	exact->weights = calloc(s, sizeof *exact->weights);
	exact->stale = calloc(s, sizeof *exact->stale);
	exact->looks = calloc(n, sizeof *exact->looks);
	exact->changes = calloc(FIRST_CHANGES, sizeof *exact->changes);
	exact->waiting = calloc(n, sizeof *exact->waiting);
	exact->is_waiting = calloc(n, sizeof *exact->is_waiting);
	exact->failures = calloc(EXACT_FAILURES, sizeof *exact->failures);
	exact->change_room = FIRST_CHANGES;
	/* At most one copy of both, and one list of parts, for each buffer that
	 * is placed. */
	exact->saved_room = 4 * s * (n + 2);
	exact->saved = malloc(exact->saved_room * sizeof *exact->saved);
	return exact->buffers && exact->keys && exact->sizes && exact->starts &&
	       exact->member_starts && exact->load && exact->weights &&
	       exact->stale && exact->looks && exact->changes &&
	       exact->waiting && exact->is_waiting && exact->failures &&
	       exact->saved;
}

bool exact_open(struct exact *exact, const struct shape *shape,
		struct watch *watch, uint64_t seed)
{
	*exact = (struct exact){
		.shape = shape,
		.count = (uint32_t)shape->count,
		.sections = shape->sections,
		.random = {seed},
		.watch = watch,
	};
	exact->unit = unit_of(shape);
	if (!exact_allocate(exact))
		goto no_memory;
	exact->floors = exact->sizes + exact->count;
	exact->room = exact->load + exact->sections;
	exact->candidates = exact->room + exact->sections;
	exact->crossing = exact->candidates + exact->sections;
	set_buffers(exact);
	set_looks(exact);
	if (!set_neighbours(exact) || !set_members(exact))
		goto no_memory;
	return true;
no_memory:
	exact_close(exact);
	return false;
}

void exact_close(struct exact *exact)
{
	free(exact->buffers);
	free(exact->keys);
	free(exact->sizes);
	free(exact->starts);
	free(exact->neighbours);
	free(exact->member_starts);
	free(exact->members);
	free(exact->load);
	free(exact->weights);
	free(exact->stale);
	free(exact->looks);
	free(exact->changes);
	free(exact->waiting);
	free(exact->is_waiting);
	free(exact->failures);
	free(exact->saved);
}
