#include "plan/exact.h"

/* What a section would be like with a buffer at its floor. */
struct trial {
	int32_t top;  /* of the buffer */
	int32_t room; /* of the section */
};

static struct trial trial_of(const struct exact *exact, uint32_t at)
{
	const struct exact_look *look = &exact->looks[at];
	int32_t size = exact->sizes[at];

	return (struct trial){exact->floors[at] + size,
			      exact->room[look->section] +
				      (look->inside ? size : 0)};
}

/* Whether the witness could be the lowest of it then. */
static bool has_witness(const struct exact *exact,
			const struct exact_look *look, struct trial trial)
{
	return exact->floors[look->witness] <= trial.room &&
	       (trial.top <= trial.room || look->apart);
}

/* Whether nothing could. */
static bool find_no_witness(struct exact *exact, uint32_t at,
			    struct trial trial)
{
	struct exact_look *look = &exact->looks[at];
	uint32_t end = exact->member_starts[look->section + 1];
	uint32_t i = exact->member_starts[look->section];

	/* Nothing is left in it. */
	if (trial.room == exact->capacity)
		return false;
	for (; i < end; i++) {
		uint32_t other = exact->members[i];

		if (exact->floors[other] > trial.room || other == at)
			continue;
		look->apart = !shape_conflict(exact->shape, at, other);
		look->witness = other;
		if (has_witness(exact, look, trial))
			return false;
	}
	look->witness = at;
	return true;
}

bool exact_is_refuted(struct exact *exact, uint32_t at)
{
	const struct exact_look *look = &exact->looks[at];
	struct trial trial = trial_of(exact, at);

	if (look->witness != at && has_witness(exact, look, trial))
		return false;
	return find_no_witness(exact, at, trial);
}

static bool is_under(const struct exact *exact, uint32_t under, uint32_t at)
{
	return exact->floors[under] + exact->sizes[under] <= exact->floors[at];
}

static bool has_under(struct exact *exact, uint32_t at)
{
	uint32_t under = exact_lowest_under(exact, at);

	if (under == exact_none)
		return false;
	exact->looks[at].under = under;
	return true;
}

/* Whether a decision on it is due, as far as can be seen at once. */
static bool may_be_next(const struct exact *exact, uint32_t at)
{
	const struct exact_buffer *buffer = &exact->buffers[at];

	return !buffer->refused &&
	       !is_under(exact, exact->looks[at].under, at) &&
	       buffer->lives[0].from >= exact->within.from &&
	       buffer->lives[0].to <= exact->within.to;
}

uint32_t exact_find_refuted(struct exact *exact)
{
	for (uint32_t at = 0; at < exact->count; at++) {
		const struct exact_look *look = &exact->looks[at];
		struct trial trial;

		if (exact->floors[at] == exact_placed)
			continue;
		trial = trial_of(exact, at);
		if (look->witness != at && has_witness(exact, look, trial))
			continue;
		if (may_be_next(exact, at) &&
		    find_no_witness(exact, at, trial) && !has_under(exact, at))
			return at;
	}
	return exact_none;
}

void exact_look_at(struct exact *exact, uint32_t at, uint32_t section)
{
	exact->looks[at].section = section;
	exact->looks[at].inside = exact_lives_in(&exact->buffers[at], section);
	exact->looks[at].witness = at;
}
