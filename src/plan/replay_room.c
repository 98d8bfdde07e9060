/* Finds room in an arena for a block that has no slot. */
#include "replay_own.h"

enum { SLOTS_MOST = 1024 }; /* that are looked at */

static bool overlaps(const struct replay_gap *gap,
		     const struct replay_slot *slot)
{
	return slot->offset < gap->end &&
	       gap->begin < slot->offset + slot->size;
}

/* Whether room is left beside a slot. */
static bool leaves_room(const struct replay_gaps *gaps,
			const struct replay_slot *slot, uint64_t size)
{
	for (size_t i = 0; i < gaps->count; i++) {
		const struct replay_gap *gap = &gaps->at[i];

		if (!overlaps(gap, slot) || slot->offset >= gap->begin + size ||
		    slot->offset + slot->size + size <= gap->end)
			return true;
	}
	return false;
}

void replay_gaps_add(struct replay_gaps *gaps, uint64_t begin, uint64_t end)
{
	size_t least = 0;

	if (gaps->count < REPLAY_GAPS) {
		gaps->at[gaps->count++] = (struct replay_gap){begin, end};
		return;
	}
	for (size_t i = 1; i < gaps->count; i++)
		if (gaps->at[i].end - gaps->at[i].begin <
		    gaps->at[least].end - gaps->at[least].begin)
			least = i;
	if (end - begin > gaps->at[least].end - gaps->at[least].begin)
		gaps->at[least] = (struct replay_gap){begin, end};
}

/* What is left of the gaps beside a slot, and has room. */
static void gaps_cut(struct replay_gaps *gaps, const struct replay_slot *slot,
		     uint64_t size)
{
	for (size_t i = gaps->count; i--;) {
		const struct replay_gap gap = gaps->at[i];

		if (!overlaps(&gap, slot))
			continue;
		gaps->at[i] = gaps->at[--gaps->count];
		if (slot->offset >= gap.begin + size)
			replay_gaps_add(gaps, gap.begin, slot->offset);
		if (slot->offset + slot->size + size <= gap.end)
			replay_gaps_add(gaps, slot->offset + slot->size,
					gap.end);
	}
}

/* The end of the smallest gap, so that large ones stay. */
static uint64_t gaps_choose(const struct replay_gaps *gaps, uint64_t size)
{
	const struct replay_gap *least = gaps->at;

	for (size_t i = 1; i < gaps->count; i++)
		if (gaps->at[i].end - gaps->at[i].begin <
		    least->end - least->begin)
			least = &gaps->at[i];
	return least->end - size;
}

uint64_t replay_room(const struct replay *replay, struct replay_gaps *gaps,
		     uint64_t size, size_t *until)
{
	size_t left = replay->count < SLOTS_MOST ? replay->count : SLOTS_MOST;
	size_t slot = replay->then.next, passed = 0;

	*until = 0;
	if (!gaps->count)
		return UINT64_MAX;
	for (; left && leaves_room(gaps, &replay->slots[slot], size); left--) {
		gaps_cut(gaps, &replay->slots[slot], size);
		slot = slot + 1 == replay->count ? 0 : slot + 1;
		passed++;
	}
	*until = passed;
	return gaps_choose(gaps, size);
}
