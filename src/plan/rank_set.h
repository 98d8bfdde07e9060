/* A set of small numbers that finds the neighbours of a number in it. */
#ifndef MNM_PLAN_RANK_SET_H
#define MNM_PLAN_RANK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_LEVELS = 4 }; /* 64^4 numbers at most */
static const uint32_t rank_none = UINT32_MAX;

/* Each level has a bit for each word of the level below that is not 0. */
struct rank_set {
	uint64_t *words[RANK_LEVELS];
};

/* An empty set of numbers below count, at most 2^24. False: no memory. */
bool rank_set_open(struct rank_set *set, size_t count);
void rank_set_close(struct rank_set *set);
void rank_set_add(struct rank_set *set, uint32_t rank);
void rank_set_remove(struct rank_set *set, uint32_t rank);
/* The largest number below rank, the smallest above it, or rank_none. */
uint32_t rank_set_below(const struct rank_set *set, uint32_t rank);
uint32_t rank_set_above(const struct rank_set *set, uint32_t rank);

#endif
