#include "plan/rank_set.h"

#include <stdlib.h>

enum { WORD_BITS = 64, WORD_SHIFT = 6 };

bool rank_set_open(struct rank_set *set, size_t count)
{
	size_t sizes[RANK_LEVELS], sum = 0;
	uint64_t *words;

	for (int level = 0; level < RANK_LEVELS; level++) {
		count = count / WORD_BITS + 1;
		sizes[level] = count;
		sum += count;
	}
	words = calloc(sum, sizeof *words);
	if (!words)
		return false;
	for (int level = 0; level < RANK_LEVELS; level++) {
		set->words[level] = words;
		words += sizes[level];
	}
	return true;
}

void rank_set_close(struct rank_set *set)
{
	free(set->words[0]);
}

void rank_set_add(struct rank_set *set, uint32_t rank)
{
	for (int level = 0; level < RANK_LEVELS; level++) {
		uint64_t *word = &set->words[level][rank >> WORD_SHIFT];

		*word |= UINT64_C(1) << rank % WORD_BITS;
		rank >>= WORD_SHIFT;
	}
}

void rank_set_remove(struct rank_set *set, uint32_t rank)
{
	for (int level = 0; level < RANK_LEVELS; level++) {
		uint64_t *word = &set->words[level][rank >> WORD_SHIFT];

		*word &= ~(UINT64_C(1) << rank % WORD_BITS);
		if (*word)
			return;
		rank >>= WORD_SHIFT;
	}
}

/* From a bit of a level, down to the largest number under it. */
static uint32_t descend_last(const struct rank_set *set, int level,
			     uint32_t bit)
{
	while (level-- > 0)
		bit = bit << WORD_SHIFT |
		      (WORD_BITS - 1 -
		       (uint32_t)__builtin_clzll(set->words[level][bit]));
	return bit;
}

static uint32_t descend_first(const struct rank_set *set, int level,
			      uint32_t bit)
{
	while (level-- > 0)
		bit = bit << WORD_SHIFT |
		      (uint32_t)__builtin_ctzll(set->words[level][bit]);
	return bit;
}

uint32_t rank_set_below(const struct rank_set *set, uint32_t rank)
{
	for (int level = 0; level < RANK_LEVELS; level++) {
		uint32_t at = rank >> WORD_SHIFT;
		uint64_t lower = set->words[level][at] &
				 ((UINT64_C(1) << rank % WORD_BITS) - 1);

		if (lower) {
			uint32_t bit = WORD_BITS - 1 -
				       (uint32_t)__builtin_clzll(lower);

			return descend_last(set, level, at << WORD_SHIFT | bit);
		}
		rank = at;
	}
	return rank_none;
}

uint32_t rank_set_above(const struct rank_set *set, uint32_t rank)
{
	for (int level = 0; level < RANK_LEVELS; level++) {
		uint32_t at = rank >> WORD_SHIFT;
		uint64_t upper = set->words[level][at] &
				 (~UINT64_C(1) << rank % WORD_BITS);

		if (upper) {
			uint32_t bit = (uint32_t)__builtin_ctzll(upper);

			return descend_first(set, level,
					     at << WORD_SHIFT | bit);
		}
		rank = at;
	}
	return rank_none;
}
