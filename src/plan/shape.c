#include "plan/shape.h"

#include <stdlib.h>

#include "plan/events.h"

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* All offsets that are worth trying are multiples of it. */
static uint64_t unit_of(const struct plan_problem *problem)
{
	uint64_t unit = 0;

	for (size_t i = 0; i < problem->count; i++)
		unit = common_divisor(unit, problem->buffers[i].size);
	for (size_t i = 0; i < problem->count; i++) {
		uint64_t align = problem->buffers[i].align;

		if (align > 1 && unit % align)
			unit = common_divisor(unit, align);
	}
	return unit ? unit : 1;
}

static void set_sizes(struct shape *shape, const struct plan_problem *problem)
{
	shape->unit = unit_of(problem);
	for (size_t i = 0; i < problem->count; i++) {
		uint64_t align = problem->buffers[i].align;

		shape->size[i] =
			(int64_t)(problem->buffers[i].size / shape->unit);
		shape->align[i] =
			align > shape->unit && align % shape->unit == 0
				? (int64_t)(align / shape->unit)
				: 1;
	}
}

/* A new section begins where, after some have begun, one ends: only at that
 * time are as many alive as at any time near it. */
static void set_sections(struct shape *shape,
			 const struct plan_problem *problem,
			 const uint32_t *events)
{
	bool begun = false;
	uint32_t section = 0;

	for (size_t i = 0; i < 2 * problem->count; i++) {
		uint32_t buffer = events[i] / 2;

		if (events[i] & EVENT_BEGIN) {
			shape->from[buffer] = section;
			begun = true;
			continue;
		}
		section += begun;
		begun = false;
		shape->to[buffer] = section;
	}
	shape->sections = section + begun;
	for (size_t i = 0; i < problem->count; i++)
		if (problem_crosses(problem, i))
			shape->to[i] += shape->sections;
}

/* The loads, from the changes between sections. */
static void set_loads(struct shape *shape)
{
	uint32_t sections = shape->sections;
	int64_t live = 0;

	for (size_t i = 0; i < shape->count; i++) {
		uint32_t to = shape->to[i];

		shape->load[shape->from[i]] += shape->size[i];
		if (to > sections) {
			shape->load[0] += shape->size[i];
			to -= sections;
		}
		shape->load[to] -= shape->size[i];
	}
	for (uint32_t section = 0; section < sections; section++) {
		live += shape->load[section];
		shape->load[section] = live;
		if (live > shape->bound)
			shape->bound = live;
	}
}

/* most[i] is a maximum over a range of sections, by a tree of maxima. */
static bool set_most(struct shape *shape)
{
	size_t leaves = 2 * (size_t)shape->sections;
	int64_t *tree = malloc((2 * leaves + 1) * sizeof *tree);

	if (!tree)
		return false;
	for (size_t i = 0; i < leaves; i++)
		tree[leaves + i] = shape->load[i % shape->sections];
	for (size_t i = leaves; i-- > 1;)
		tree[i] = tree[2 * i] > tree[2 * i + 1] ? tree[2 * i]
							: tree[2 * i + 1];
	for (size_t i = 0; i < shape->count; i++) {
		size_t low = shape->from[i] + leaves;
		size_t high = shape->to[i] + leaves;
		int64_t most = 0;

		for (; low < high; low /= 2, high /= 2) {
			if (low & 1) {
				most = tree[low] > most ? tree[low] : most;
				low++;
			}
			if (high & 1) {
				high--;
				most = tree[high] > most ? tree[high] : most;
			}
		}
		shape->most[i] = most;
	}
	free(tree);
	return true;
}

enum plan_status shape_open(struct shape *shape,
			    const struct plan_problem *problem)
{
	size_t n = problem->count;
	enum plan_status status;
	uint32_t *events;

	*shape = (struct shape){.count = n, .circle = problem->period != 0};
	status = events_make(problem, &events);
	if (status)
		return status;
	shape->from = calloc((n + 1) * 2, sizeof *shape->from);
	shape->size = calloc((n + 1) * 3, sizeof *shape->size);
	/* There are no more sections than buffers. */
	shape->load = calloc(n + 1, sizeof *shape->load);
	if (!shape->from || !shape->size || !shape->load)
		goto no_memory;
	shape->to = shape->from + n;
	shape->align = shape->size + n;
	shape->most = shape->align + n;
	set_sizes(shape, problem);
	set_sections(shape, problem, events);
	set_loads(shape);
	if (!set_most(shape))
		goto no_memory;
	free(events);
	return PLAN_DONE;
no_memory:
	free(events);
	shape_close(shape);
	return PLAN_NO_MEMORY;
}

void shape_close(struct shape *shape)
{
	free(shape->from);
	free(shape->size);
	free(shape->load);
}

bool shape_conflict(const struct shape *shape, uint32_t a, uint32_t b)
{
	if (shape->from[a] < shape->to[b] && shape->from[b] < shape->to[a])
		return true;
	/* One may reach the other once more around the circle. */
	return shape->circle &&
	       (shape->from[a] + shape->sections < shape->to[b] ||
		shape->from[b] + shape->sections < shape->to[a]);
}
