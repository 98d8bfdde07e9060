#include "plan_problems.h"

#include <string.h>

static uint64_t draw_below(uint64_t *state, uint64_t limit)
{
	uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return (word ^ word >> 31) % limit;
}

static void draw_life(uint64_t *state, const struct draw_rules *rules,
		      struct plan_buffer *buffer)
{
	uint64_t length, rest = rules->time;

	buffer->lower = draw_below(state, rules->time);
	if (!rules->circle)
		rest -= buffer->lower;
	/* Most lives are short; some last as long as they may. */
	length = 1 + draw_below(state, rest);
	if (draw_below(state, 3))
		length = 1 + length / 4;
	if (!draw_below(state, 12))
		length = rest;
	buffer->upper = buffer->lower + length;
}

void problem_draw(uint64_t seed, const struct draw_rules *rules,
		  struct drawn *drawn)
{
	uint64_t state = seed;
	size_t count = rules->least +
		       draw_below(&state, rules->most - rules->least + 1);

	memset(drawn, 0, sizeof *drawn);
	for (size_t i = 0; i < count; i++) {
		struct plan_buffer *buffer = &drawn->buffers[i];

		if (i && !draw_below(&state, 8)) {
			*buffer = drawn->buffers[draw_below(&state, i)];
			continue;
		}
		draw_life(&state, rules, buffer);
		buffer->size = 1 + draw_below(&state, rules->size);
		if (rules->align)
			buffer->align = UINT64_C(1) << draw_below(&state, 5);
	}
	drawn->problem = (struct plan_problem){drawn->buffers, count,
					       rules->circle ? rules->time : 0};
}

static bool lives_overlap(const struct plan_problem *problem, size_t a,
			  size_t b)
{
	const struct plan_buffer *one = &problem->buffers[a];
	const struct plan_buffer *other = &problem->buffers[b];
	uint64_t period = problem->period;

	if (one->lower < other->upper && other->lower < one->upper)
		return true;
	return period && (one->lower + period < other->upper ||
			  other->lower + period < one->upper);
}

bool offsets_are_valid(const struct plan_problem *problem,
		       const uint64_t *offsets)
{
	for (size_t i = 0; i < problem->count; i++) {
		uint64_t align = problem->buffers[i].align;

		if (align && offsets[i] % align)
			return false;
		for (size_t j = 0; j < i; j++)
			if (lives_overlap(problem, i, j) &&
			    offsets[i] <
				    offsets[j] + problem->buffers[j].size &&
			    offsets[j] < offsets[i] + problem->buffers[i].size)
				return false;
	}
	return true;
}

/* The lowest offset at which a buffer fits among the first ones of order. */
static uint64_t lowest_offset(const struct plan_problem *problem,
			      const size_t *order, const uint64_t *offsets,
			      size_t count)
{
	const struct plan_buffer *buffer = &problem->buffers[order[count]];
	uint64_t offset = 0;

	for (size_t i = 0; i < count; i++) {
		size_t other = order[i];
		uint64_t top = offsets[other] + problem->buffers[other].size;

		if (!lives_overlap(problem, order[count], other) ||
		    top <= offset || offsets[other] >= offset + buffer->size)
			continue;
		offset = top;
		if (buffer->align)
			offset = (offset + buffer->align - 1) / buffer->align *
				 buffer->align;
		i = (size_t)-1; /* the others may be in the way there */
	}
	return offset;
}

/* Every plan can be sunk, in the order of its offsets, to one in which each
 * buffer has the lowest offset that those before leave to it. */
static void try_orders(const struct plan_problem *problem, size_t *order,
		       uint64_t *offsets, size_t count, uint64_t peak,
		       uint64_t *best)
{
	if (peak >= *best)
		return;
	if (count == problem->count) {
		*best = peak;
		return;
	}
	for (size_t i = count; i < problem->count; i++) {
		size_t at = order[i];
		uint64_t top;

		order[i] = order[count];
		order[count] = at;
		offsets[at] = lowest_offset(problem, order, offsets, count);
		top = offsets[at] + problem->buffers[at].size;
		try_orders(problem, order, offsets, count + 1,
			   top > peak ? top : peak, best);
		order[count] = order[i];
		order[i] = at;
	}
}

uint64_t peak_of_best(const struct plan_problem *problem)
{
	size_t order[DRAWN_MOST];
	uint64_t offsets[DRAWN_MOST];
	uint64_t best = UINT64_MAX;

	for (size_t i = 0; i < problem->count; i++)
		order[i] = i;
	try_orders(problem, order, offsets, 0, 0, &best);
	return best;
}
