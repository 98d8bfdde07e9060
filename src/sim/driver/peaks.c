#include "peaks.h"

static uint32_t leaves_for(uint32_t slots)
{
	uint32_t leaves = 1;

	while (leaves < slots)
		leaves *= 2;
	return leaves;
}

size_t peaks_bytes(uint32_t slots)
{
	return 2 * sizeof(uint32_t) * leaves_for(slots);
}

void peaks_init(struct peaks *peaks, uint32_t slots, void *zeroed)
{
	peaks->tree = zeroed;
	peaks->leaves = leaves_for(slots);
}

void peaks_set(struct peaks *peaks, uint32_t slot, uint32_t number)
{
	uint32_t *tree = peaks->tree;
	uint32_t node = peaks->leaves + slot;

	tree[node] = number;
	while (node > 1) {
		uint32_t other = tree[node ^ 1];
		uint32_t highest = tree[node] > other ? tree[node] : other;

		node /= 2;
		if (tree[node] == highest)
			return;
		tree[node] = highest;
	}
}

uint32_t peaks_get(const struct peaks *peaks, uint32_t slot)
{
	return peaks->tree[peaks->leaves + slot];
}

uint32_t peaks_highest(const struct peaks *peaks)
{
	return peaks->tree[1];
}

uint32_t peaks_first(const struct peaks *peaks, uint32_t least)
{
	uint32_t node = 1;

	if (peaks->tree[1] < least)
		return PEAKS_NONE;
	while (node < peaks->leaves) {
		node *= 2;
		if (peaks->tree[node] < least)
			node++;
	}
	return node - peaks->leaves;
}
