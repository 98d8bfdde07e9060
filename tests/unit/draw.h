/* Numbers drawn from a seed, which is not 0. */
#ifndef MNM_TEST_DRAW_H
#define MNM_TEST_DRAW_H

#include <stdint.h>

/* A number below that one. Steps on to the next: Marsaglia's xorshift64*. */
static inline uint64_t draw(uint64_t *random, uint64_t below)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (*random * UINT64_C(0x2545f4914f6cdd1d) >> 20) % below;
}

#endif
