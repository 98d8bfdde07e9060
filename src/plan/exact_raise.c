#include "plan/exact.h"

enum {
	/* Candidates of a section: where there are more, to look which of them
	 * can be the lowest costs more than it helps. */
	FEW = 2,
};

/* Of a look at sections, from the best to the worst. */
enum outcome { NOTHING, RAISED, TOO_MUCH };

/* The lowest neighbour on which a buffer may come to lie that was refused the
 * place below. False if there is none, or too little room. */
static bool find_support(struct exact *exact, uint32_t at)
{
	struct exact_buffer *buffer = &exact->buffers[at];
	int32_t best = INT32_MAX, old = exact->floors[at];
	int32_t support = -1;

	for (uint32_t i = exact->starts[at]; i < exact->starts[at + 1]; i++) {
		uint32_t other = exact->neighbours[i];
		int32_t floor = exact->floors[other];
		int32_t top = floor + exact->sizes[other];

		if (floor >= buffer->refused || top >= best)
			continue;
		best = top;
		support = (int32_t)other;
	}
	if (support < 0)
		return false;
	exact_note_change(exact, at);
	buffer->support = support;
	buffer->support_floor = exact->floors[support];
	best = (best + buffer->align - 1) & -buffer->align;
	return best <= old || exact_lift(exact, at, best);
}

static bool has_support(const struct exact *exact,
			const struct exact_buffer *buffer)
{
	return buffer->support >= 0 &&
	       exact->floors[buffer->support] == buffer->support_floor;
}

/* One that was raised may be what another one lies on, and so on. */
static bool raise_waiting(struct exact *exact)
{
	bool raised = true;

	while (raised) {
		raised = false;
		for (uint32_t i = 0; i < exact->waiting_count; i++) {
			uint32_t at = exact->waiting[i];
			struct exact_buffer *buffer = &exact->buffers[at];
			int32_t old = exact->floors[at];

			if (old == exact_placed || !buffer->refused ||
			    has_support(exact, buffer))
				continue;
			if (!find_support(exact, at))
				return false;
			raised |= exact->floors[at] > old;
		}
	}
	return true;
}

void exact_blame(struct exact *exact, uint32_t section)
{
	exact->weights[section] += 1;
	exact->blamed = section;
}

static bool sections_have_candidates(struct exact *exact)
{
	const int32_t *candidates = exact->candidates;
	int32_t least = section_empty;

	for (uint32_t s = exact->within.from; s < exact->within.to; s++)
		least = candidates[s] < least ? candidates[s] : least;
	if (least > 0)
		return true;
	for (uint32_t s = exact->within.from; s < exact->within.to; s++)
		if (candidates[s] <= 0) {
			exact_blame(exact, s);
			break;
		}
	return false;
}

/* Those that can be the lowest of a section. */
struct firsts {
	uint32_t buffers[FEW];
	uint32_t count;
	int32_t low, second; /* the lowest floors of all */
};

static void find_firsts(const struct exact *exact, uint32_t section,
			struct firsts *firsts)
{
	uint32_t end = exact->member_starts[section + 1];
	int32_t room = exact->room[section];

	*firsts = (struct firsts){.low = exact_placed, .second = exact_placed};
	for (uint32_t i = exact->member_starts[section]; i < end; i++) {
		uint32_t at = exact->members[i];
		int32_t floor = exact->floors[at];

		if (floor < firsts->low) {
			firsts->second = firsts->low;
			firsts->low = floor;
		} else if (floor < firsts->second) {
			firsts->second = floor;
		}
		if (floor <= room)
			firsts->buffers[firsts->count++] = at;
	}
}

/* Keeps those above which the others would still have room. */
static void drop_firsts(const struct exact *exact, uint32_t section,
			struct firsts *firsts)
{
	uint32_t kept = 0;

	if (firsts->second == exact_placed)
		return;
	for (uint32_t i = 0; i < firsts->count; i++) {
		uint32_t at = firsts->buffers[i];
		int32_t next = exact->floors[at] == firsts->low ? firsts->second
								: firsts->low;

		if (next <= exact->room[section] + exact->sizes[at])
			firsts->buffers[kept++] = at;
	}
	firsts->count = kept;
}

static bool is_first(const struct firsts *firsts, uint32_t at)
{
	for (uint32_t i = 0; i < firsts->count; i++)
		if (firsts->buffers[i] == at)
			return true;
	return false;
}

static bool lift_upon(struct exact *exact, uint32_t at, int32_t top)
{
	int32_t align = exact->buffers[at].align;

	exact_note_change(exact, at);
	return exact_lift(exact, at, (top + align - 1) & -align);
}

/* All that cannot be the lowest lie on one of those that can. */
static enum outcome tighten_section(struct exact *exact, uint32_t section)
{
	uint32_t end = exact->member_starts[section + 1];
	enum outcome outcome = NOTHING;
	int32_t least = INT32_MAX;
	struct firsts firsts;

	find_firsts(exact, section, &firsts);
	drop_firsts(exact, section, &firsts);
	if (!firsts.count)
		return TOO_MUCH;
	for (uint32_t i = 0; i < firsts.count; i++) {
		uint32_t at = firsts.buffers[i];
		int32_t top = exact->floors[at] + exact->sizes[at];

		least = top < least ? top : least;
	}
	for (uint32_t i = exact->member_starts[section]; i < end; i++) {
		uint32_t at = exact->members[i];

		if (exact->floors[at] >= least || is_first(&firsts, at))
			continue;
		if (!lift_upon(exact, at, least))
			return TOO_MUCH;
		outcome = RAISED;
	}
	return outcome;
}

/* Looks at the sections in which something has changed. */
static enum outcome tighten(struct exact *exact)
{
	enum outcome outcome = NOTHING;

	for (uint32_t s = exact->within.from; s < exact->within.to; s++) {
		enum outcome one;

		if (!exact->stale[s])
			continue;
		exact->stale[s] = false;
		/* What now has none, by a floor that was just raised, is found
		 * when all have been looked at. */
		if (exact->candidates[s] <= 0 || exact->candidates[s] > FEW)
			continue;
		one = tighten_section(exact, s);
		if (one == TOO_MUCH) {
			exact_blame(exact, s);
			return one;
		}
		outcome = one > outcome ? one : outcome;
	}
	return outcome;
}

bool exact_raise_all(struct exact *exact)
{
	enum outcome outcome;

	do {
		if (!raise_waiting(exact) || !sections_have_candidates(exact))
			return false;
		outcome = tighten(exact);
	} while (outcome == RAISED);
	return outcome == NOTHING;
}
