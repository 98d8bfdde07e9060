#include "tilings.h"

enum { PINWHEEL_PERCENT = 35, PINWHEEL_PARTS = 5, TRIES = 8 };

/* While it is cut, a buffer's align holds its lowest address. */
struct tiling {
	uint64_t state;
	struct plan_buffer *parts;
	size_t count;
};

static uint64_t draw_below(struct tiling *tiling, uint64_t limit)
{
	uint64_t word = tiling->state += UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return (word ^ word >> 31) % limit;
}

/* A place to cut a side of that length, not too near its ends. */
static uint64_t draw_cut(struct tiling *tiling, uint64_t length)
{
	uint64_t margin = length / 5 + (length / 5 == 0);

	return margin + draw_below(tiling, length - 2 * margin + 1);
}

static void add_part(struct tiling *tiling, uint64_t left, uint64_t right,
		     uint64_t low, uint64_t high)
{
	tiling->parts[tiling->count++] =
		(struct plan_buffer){left, right, high - low, low};
}

static void cut_once(struct tiling *tiling, struct plan_buffer part)
{
	uint64_t low = part.align, high = low + part.size, cut;
	bool in_time = draw_below(tiling, 2);

	if (part.upper - part.lower < 4)
		in_time = false;
	else if (part.size < 4)
		in_time = true;
	if (in_time) {
		cut = part.lower + draw_cut(tiling, part.upper - part.lower);
		add_part(tiling, part.lower, cut, low, high);
		add_part(tiling, cut, part.upper, low, high);
	} else {
		cut = low + draw_cut(tiling, part.size);
		add_part(tiling, part.lower, part.upper, low, cut);
		add_part(tiling, part.lower, part.upper, cut, high);
	}
}

/* Four parts around a fifth, which no straight cut can separate. */
static void cut_pinwheel(struct tiling *tiling, struct plan_buffer part)
{
	uint64_t low = part.align, high = low + part.size;
	uint64_t width = (part.upper - part.lower) / 2, height = part.size / 2;
	uint64_t left = part.lower + draw_cut(tiling, width);
	uint64_t right = part.lower + width + draw_cut(tiling, width);
	uint64_t bottom = low + draw_cut(tiling, height);
	uint64_t top = low + height + draw_cut(tiling, height);

	add_part(tiling, part.lower, left, low, top);
	add_part(tiling, left, part.upper, low, bottom);
	add_part(tiling, right, part.upper, bottom, high);
	add_part(tiling, part.lower, right, top, high);
	add_part(tiling, left, right, bottom, top);
}

static double area(const struct plan_buffer *part)
{
	return (double)(part->upper - part->lower) * (double)part->size;
}

/* Removes one of the larger parts. */
static struct plan_buffer take_part(struct tiling *tiling)
{
	size_t best = draw_below(tiling, tiling->count);
	struct plan_buffer part;

	for (int i = 0; i < TRIES; i++) {
		size_t other = draw_below(tiling, tiling->count);

		if (area(&tiling->parts[other]) > area(&tiling->parts[best]))
			best = other;
	}
	part = tiling->parts[best];
	tiling->parts[best] = tiling->parts[--tiling->count];
	return part;
}

void tiling_draw(uint64_t seed, struct plan_buffer *buffers, size_t count,
		 uint64_t width, uint64_t height)
{
	struct tiling tiling = {seed, buffers, 0};

	add_part(&tiling, 0, width, 0, height);
	while (tiling.count < count) {
		struct plan_buffer part = take_part(&tiling);

		if (count - tiling.count >= PINWHEEL_PARTS &&
		    part.upper - part.lower >= 8 && part.size >= 8 &&
		    draw_below(&tiling, 100) < PINWHEEL_PERCENT)
			cut_pinwheel(&tiling, part);
		else
			cut_once(&tiling, part);
	}
	for (size_t i = 0; i < count; i++) {
		size_t other = i + draw_below(&tiling, count - i);
		struct plan_buffer part = buffers[other];

		buffers[other] = buffers[i];
		part.align = 1;
		buffers[i] = part;
	}
}
