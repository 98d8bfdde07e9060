#include "plan/sort.h"

#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 48 };

static void sort_few(struct sort_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct sort_entry entry = entries[i];
		size_t at = i;

		for (; at && entries[at - 1].key > entry.key; at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

/* Sorts from one array into the other by one digit of the keys. */
static void sort_digit(const struct sort_entry *from, struct sort_entry *to,
		       size_t count, unsigned shift)
{
	uint32_t starts[DIGITS] = {0};
	uint32_t sum = 0;

	for (size_t i = 0; i < count; i++)
		starts[from[i].key >> shift & (DIGITS - 1)]++;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		uint32_t here = starts[digit];

		starts[digit] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void sort_entries(struct sort_entry *entries, struct sort_entry *spare,
		  size_t count)
{
	struct sort_entry *from = entries, *to = spare;
	uint64_t differ = 0;

	if (count <= FEW) {
		sort_few(entries, count);
		return;
	}
	for (size_t i = 1; i < count; i++)
		differ |= entries[i].key ^ entries[0].key;
	/* Digits in which all keys agree say nothing about their order. */
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct sort_entry *swap = from;

		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		sort_digit(from, to, count, shift);
		from = to;
		to = swap;
	}
	if (from != entries)
		memcpy(entries, from, count * sizeof *entries);
}
