/* A small generator (splitmix64), which gives the same numbers for a seed on
 * every machine. */
#ifndef TRAIN_DIGITS_RANDOM_H
#define TRAIN_DIGITS_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t x = random->state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Returns a number from -1 up to, but not including, 1. */
static inline float random_unit(struct random *random)
{
	return (float)(random_next(random) >> 40) / (float)(1 << 23) - 1.0f;
}

/* Puts count numbers into a random order. */
static inline void random_shuffle(struct random *random, int *numbers,
				  int count)
{
	for (int i = count - 1; i > 0; i--) {
		int j = (int)(random_next(random) % (uint64_t)(i + 1));
		int other = numbers[j];

		numbers[j] = numbers[i];
		numbers[i] = other;
	}
}

#endif
