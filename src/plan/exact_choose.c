#include "plan/exact.h"

/* How much the section's buffers could still be moved up. */
static int32_t slack_of(const struct exact *exact, uint32_t section)
{
	uint32_t end = exact->member_starts[section + 1];
	int32_t floor = exact_placed;

	for (uint32_t i = exact->member_starts[section]; i < end; i++) {
		int32_t other = exact->floors[exact->members[i]];

		floor = other < floor ? other : floor;
	}
	return exact->room[section] - floor;
}

/* Where one buffer has to be the lowest of all. */
static uint32_t choose_forced(const struct exact *exact)
{
	for (uint32_t s = exact->within.from; s < exact->within.to; s++)
		if (exact->candidates[s] == 1)
			return s;
	return exact_none;
}

/* Where few choices and little slack are left, and where there were too few
 * before. */
static uint32_t choose_by_slack(const struct exact *exact)
{
	uint32_t best = choose_forced(exact);
	float least = 0;

	if (best != exact_none)
		return best;
	for (uint32_t s = exact->within.from; s < exact->within.to; s++) {
		int32_t count = exact->candidates[s];
		float value;

		if (count >= section_empty)
			continue;
		value = ((float)count - 0.9F) / (1 + exact->weights[s]);
		/* The slack only makes it larger. */
		if (best != exact_none && value >= least)
			continue;
		value *= (float)(1 + slack_of(exact, s));
		if (best == exact_none || value < least) {
			best = s;
			least = value;
		}
	}
	return best;
}

/* The fewest choices; of equal ones where there were too few before. */
static uint32_t choose_by_count(const struct exact *exact)
{
	int32_t least = section_empty;
	uint32_t best = exact_none;

	for (uint32_t s = exact->within.from; s < exact->within.to; s++) {
		int32_t count = exact->candidates[s];

		if (count >= section_empty || count > least)
			continue;
		if (count < least || exact->weights[s] > exact->weights[best]) {
			best = s;
			least = count;
		}
	}
	return best;
}

/* Lower floors first, then larger keys. */
static bool is_before(const struct exact *exact, uint32_t a, uint32_t b)
{
	int32_t low, high;

	if (b == exact_none)
		return true;
	low = exact->floors[a];
	high = exact->floors[b];
	return low < high || (low == high && exact->keys[a] > exact->keys[b]);
}

static uint32_t lowest_of(const struct exact *exact, uint32_t section)
{
	uint32_t end = exact->member_starts[section + 1];
	uint32_t best = exact_none;

	for (uint32_t i = exact->member_starts[section]; i < end; i++) {
		uint32_t at = exact->members[i];

		if (exact->floors[at] < exact_placed &&
		    is_before(exact, at, best))
			best = at;
	}
	return best;
}

uint32_t exact_lowest_under(const struct exact *exact, uint32_t at)
{
	int32_t floor = exact->floors[at];
	uint32_t best = exact_none;

	for (uint32_t i = exact->starts[at]; i < exact->starts[at + 1]; i++) {
		uint32_t other = exact->neighbours[i];

		if (exact->floors[other] + exact->sizes[other] <= floor &&
		    is_before(exact, other, best))
			best = other;
	}
	return best;
}

uint32_t exact_choose(struct exact *exact)
{
	bool by_slack = exact->rule == EXACT_BY_SLACK;
	uint32_t at, under, section;

	/* To refuse what cannot be placed is no choice, but shows more of what
	 * the others can be. The other rule is better off without: it would
	 * spend many steps far from where the fewest can be the next. */
	at = by_slack ? exact_find_refuted(exact) : exact_none;
	if (at != exact_none)
		return at;
	section = by_slack ? choose_by_slack(exact) : choose_by_count(exact);
	if (section == exact_none)
		return exact_none;
	under = lowest_of(exact, section);
	do {
		at = under;
		under = exact_lowest_under(exact, at);
	} while (under != exact_none);
	return at;
}
