/* Numbers that follow from a seed. */
#ifndef MNM_PLAN_RANDOM_H
#define MNM_PLAN_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

/* A Weyl sequence, with its bits mixed by the constants of splitmix64 (Vigna,
 * public domain). */
static inline uint64_t random_word(struct random *random)
{
	uint64_t word = random->state += UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

/* In [low, high). */
static inline double random_between(struct random *random, double low,
				    double high)
{
	return low + (high - low) * ((double)(random_word(random) >> 11) /
				     (double)(UINT64_C(1) << 53));
}

#endif
