/* A program drawn from a seed, and the finder that listens to it. */
#ifndef MNM_TEST_DRAWN_H
#define MNM_TEST_DRAWN_H

#include "plan/finder.h"
#include "program.h"
#include "run.h"

enum {
	SEEDS = 40,
	ROOM = 1 << 17, /* requests that a finder remembers */
	MOST_WORK = 16, /* old requests that it looks at, for each new one */
};

static struct program program;
static struct program_part init, once, part, other, whole;

/* Draws a program: what it asks for at its start, what its first iteration asks
 * for besides, and its iterations. */
static inline void drawn(uint64_t seed, uint64_t room)
{
	program_open(&program, seed, room);
	ck_assert_ptr_nonnull(program.finder);
	init.count = once.count = part.count = other.count = whole.count = 0;
	part_add_init(&init, &program.random);
	part_add_init(&once, &program.random);
	part_add_training(&part, &program.random);
}

static inline void played(const struct program_part *next, int times)
{
	for (int i = 0; i < times; i++)
		program_play(&program, next);
}

static inline void part_append(struct program_part *to,
			       const struct program_part *from)
{
	for (unsigned int i = 0; i < from->count; i++)
		part_add(to, from->buffers[i].size, from->buffers[i].life);
}

static inline const struct period *found(void)
{
	return finder_period(program.finder);
}

static inline uint64_t asked(void)
{
	return finder_history(program.finder)->count;
}

static inline void closed(void)
{
	ck_assert_uint_le(program.finder->spent,
			  MOST_WORK * asked() + (1 << 14));
	program_close(&program);
}

#endif
