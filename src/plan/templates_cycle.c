/* Whether templates know a cycle, as one of them or one after the other. */
#include "templates.h"

enum {
	MISSED_PERCENT = 1, /* of the requests of a cycle */
	PERCENT = 100,
};

/* A sum over pairs of neighbours round the cycle. It is the same wherever the
 * cycle begins, and grows with each time that it is taken. */
uint64_t templates_print(const struct cycle *cycle)
{
	uint64_t sum = 0, pair;

	for (size_t i = 0; i < cycle->count; i++) {
		const struct cycle_request *next =
			&cycle->requests[i + 1 < cycle->count ? i + 1 : 0];

		pair = (uint64_t)cycle->requests[i].token << 32 | next->token;
		pair *= UINT64_C(0x9e3779b97f4a7c15);
		sum += (pair ^ pair >> 32) * UINT64_C(0xd6e8feb86659fd93);
	}
	return sum;
}

/* A short iteration may be taken several times as one lap. */
bool templates_know(const struct templates *templates,
		    const struct cycle *cycle)
{
	uint64_t print = templates_print(cycle);

	for (const struct template *t = templates->all;
	     t < templates->all + TEMPLATES_MOST; t++)
		if (t->id &&
		    t->print * cycle->count == print * replay_lap(t->replay))
			return true;
	return false;
}

static const struct cycle_request *cycle_at(const struct cycle *cycle,
					    size_t request)
{
	return &cycle->requests[request % cycle->count];
}

static uint32_t slot_of(const struct template *t, size_t slot)
{
	return (uint32_t)(slot % replay_count(t->replay));
}

/* The template that an iteration of is to come next in the cycle, or NULL. */
static const struct template *cycle_begins(const struct templates *templates,
					   const struct cycle *cycle, size_t at)
{
	for (const struct template *t = templates->all;
	     t < templates->all + TEMPLATES_MOST; t++) {
		size_t same = 0;

		while (t->id && same < CYCLE_KEY &&
		       replay_slot_at(t->replay, slot_of(t, t->entry + same))
				       ->token ==
			       cycle_at(cycle, at + same)->token)
			same++;
		if (same == CYCLE_KEY)
			return t;
	}
	return NULL;
}

/* The first round finds out where iterations begin. */
bool templates_foresee(const struct templates *templates,
		       const struct cycle *cycle)
{
	const struct template *t = NULL, *begins;
	size_t missed = 0, slot = 0;
	bool fits;

	if (templates_count(templates) < 2 || !cycle->count)
		return false;
	for (size_t at = 0; at < 2 * cycle->count; at++) {
		const struct cycle_request *asked = cycle_at(cycle, at);

		fits = t && replay_fits(t->replay, slot_of(t, slot),
					asked->token, asked->size);
		begins = !fits || slot_of(t, slot) == t->entry
				 ? cycle_begins(templates, cycle, at)
				 : NULL;
		if (begins || !fits) {
			t = begins;
			slot = t ? t->entry : 0;
		}
		slot++;
		missed += at >= cycle->count && !t;
	}
	return missed * PERCENT <= cycle->count * MISSED_PERCENT;
}
