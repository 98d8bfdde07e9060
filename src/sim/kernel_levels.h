/* More of what textures show: levels of detail, sides of cubes, and gathers. */
#ifndef MNM_SIM_KERNEL_LEVELS_H
#define MNM_SIM_KERNEL_LEVELS_H

#include "kernel_texture.h"

/* The side of a cube that a direction goes through, and where, from 0 to 1. Of
 * sides that it goes between, that of z comes first, and then that of y. */
static inline unsigned sim_cube_side(const double direction[3], double *s,
				     double *t)
{
	double x = direction[0], y = direction[1], z = direction[2];
	unsigned axis = fabs(z) >= fabs(x) && fabs(z) >= fabs(y) ? 2
			: fabs(y) >= fabs(x)                     ? 1
								 : 0;
	double longest = direction[axis];
	bool back = longest < 0;

	*s = axis == 0 ? (back ? z : -z) : axis == 1 ? x : back ? -x : x;
	*t = axis == 1 ? (back ? -z : z) : -y;
	*s = (*s / fabs(longest) + 1) / 2;
	*t = (*t / fabs(longest) + 1) / 2;
	return 2 * axis + back;
}

/* The same texture with another level as its only one. */
static inline struct sim_texture sim_level_texture(const struct sim_texture *t,
						   unsigned number)
{
	struct sim_texture made = *t;

	if (number < t->level_count) {
		const struct sim_level *level = &t->levels[number];

		made.base = level->base;
		made.width = level->width;
		made.height = level->height;
		made.depth = level->depth;
		made.pitch = level->pitch;
		made.slice = level->slice;
	}
	made.level_count = 0;
	return made;
}

/* What is at a place in a level of detail, which may be between two. */
static inline void sim_fetch_level(const struct sim_texture *t,
				   const double at[3], bool layered,
				   double level, double values[4])
{
	double last = t->level_count ? t->level_count - 1 : 0, part;
	double next[4];
	struct sim_texture one;
	unsigned number;

	level += (double)t->level_bias;
	/* One that is no number is the first. */
	level = level < (double)t->level_most ? level : (double)t->level_most;
	level = level > (double)t->level_least ? level : (double)t->level_least;
	level = level > 0 ? level < last ? level : last : 0;
	if (!t->mixes_levels)
		level = floor(level + 0.5);
	number = (unsigned)level;
	one = sim_level_texture(t, number);
	sim_fetch(&one, at[0], at[1], at[2], layered, values);
	/* Devices have 8 bits of it. */
	part = floor((level - number) * 256 + 0.5) / 256;
	if (part == 0)
		return;
	one = sim_level_texture(t, number + 1);
	sim_fetch(&one, at[0], at[1], at[2], layered, next);
	for (int c = 0; c < 4; c++)
		values[c] = values[c] * (1 - part) + next[c] * part;
}

/* The level at which neighbours are one element apart: slopes say by how much
 * the coordinates differ from them, along two directions. */
static inline double sim_level_of(const struct sim_texture *t,
				  const double slopes[2][3])
{
	double scale[3] = {1, 1, 1}, longest = 0;

	if (t->flags & SIM_NORMALIZED) {
		scale[0] = (double)t->width;
		scale[1] = (double)t->height;
		scale[2] = (double)t->depth;
	}
	for (int i = 0; i < 2; i++) {
		double sum = 0;

		for (int k = 0; k < 3; k++)
			sum += slopes[i][k] * scale[k] * slopes[i][k] *
			       scale[k];
		longest = sum > longest ? sum : longest;
	}
	return longest > 0 ? log2(longest) / 2 : -INFINITY;
}

/* One channel of the four elements between which a place is: the one below to
 * the left, and on around the place. */
static inline void sim_gather(const struct sim_texture *t, const double at[3],
			      unsigned channel, double values[4])
{
	static const int around[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	struct sim_texture between = *t;
	struct sim_spot x, y;

	between.is_linear = 1;
	x = sim_spot_of(&between, at[0], t->width);
	y = sim_spot_of(&between, at[1], t->height);
	for (int i = 0; i < 4; i++) {
		double element[4];

		sim_sums_begin(t, element);
		sim_texel(t, x.at + around[i][0], y.at + around[i][1],
			  sim_whole(at[2]), 1, element);
		values[i] = element[channel & 3];
	}
}

#endif
