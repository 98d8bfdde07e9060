/* The generator is splitmix64 (Steele, Lea, Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014), with the constants given
 * there. */
#include "random.h"

uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

struct random random_open(uint64_t seed, uint64_t purpose)
{
	struct random random = {seed};

	random.state = random_next(&random) + purpose;
	random.state = random_next(&random);
	return random;
}

unsigned random_below(struct random *random, unsigned count)
{
	return (unsigned)((random_next(random) >> 32) * count >> 32);
}

bool random_one_in(struct random *random, unsigned count)
{
	return !random_below(random, count);
}
