#include "runs.h"

size_t runs_bytes(uint32_t slots)
{
	return peaks_bytes(slots) + slots * sizeof(uint32_t);
}

static void run_add(struct runs *runs, uint32_t first, uint32_t length)
{
	peaks_set(&runs->starts, first, length);
	runs->ends[first + length - 1] = length;
}

static void run_remove(struct runs *runs, uint32_t first, uint32_t length)
{
	peaks_set(&runs->starts, first, 0);
	runs->ends[first + length - 1] = 0;
}

void runs_init(struct runs *runs, uint32_t slots, void *zeroed)
{
	peaks_init(&runs->starts, slots, zeroed);
	runs->ends = (uint32_t *)((char *)zeroed + peaks_bytes(slots));
	runs->slots = slots;
	run_add(runs, 0, slots);
}

uint32_t runs_longest(const struct runs *runs)
{
	return peaks_highest(&runs->starts);
}

uint32_t runs_take(struct runs *runs, uint32_t length)
{
	uint32_t first = peaks_first(&runs->starts, length);
	uint32_t had;

	if (first == RUNS_NONE)
		return RUNS_NONE;
	had = peaks_get(&runs->starts, first);
	run_remove(runs, first, had);
	if (had > length)
		run_add(runs, first + length, had - length);
	return first;
}

void runs_give(struct runs *runs, uint32_t first, uint32_t length)
{
	uint32_t before = first ? runs->ends[first - 1] : 0;
	uint32_t next = first + length;
	uint32_t after =
		next < runs->slots ? peaks_get(&runs->starts, next) : 0;

	if (before)
		run_remove(runs, first - before, before);
	if (after)
		run_remove(runs, next, after);
	run_add(runs, first - before, before + length + after);
}
