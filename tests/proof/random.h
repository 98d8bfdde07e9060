/* Numbers that follow from a seed alone. */
#ifndef TESTS_PROOF_RANDOM_H
#define TESTS_PROOF_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

struct random random_open(uint64_t seed, uint64_t purpose);
uint64_t random_next(struct random *random);
/* Returns a number from 0 to count - 1. */
unsigned random_below(struct random *random, unsigned count);
bool random_one_in(struct random *random, unsigned count);

#endif
