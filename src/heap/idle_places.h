/* Counts of idle blocks by span, for idle_limit.c: a hash table whose places
 * are never freed one by one. The caller has its lock. */
#ifndef MNM_IDLE_PLACES_H
#define MNM_IDLE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tcache/roomy.h"

/* How many more idle blocks of a span a pool that keeps all would have than our
 * pools have. */
struct idle_place {
	size_t span; /* 0 if the place is free */
	int64_t more;
};

enum { LACKS_MOST = 32 };

struct places {
	struct idle_place *at; /* by a hash of the span; or NULL */
	size_t room;           /* a power of two, or 0 */
	size_t count;
	/* Spans whose count has become less than 0; it may be more again.
	 * Unlisted: some are not here. */
	size_t lacks[LACKS_MOST];
	size_t lacks_count;
	bool unlisted;
};

/* The place where a span is, or is to be entered; one has to be free. */
static inline struct idle_place *place_of(const struct places *places,
					  size_t span)
{
	size_t i = (span * UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	for (;; i++) {
		struct idle_place *place = &places->at[i & (places->room - 1)];

		if (place->span == span || !place->span)
			return place;
	}
}

static inline int64_t more_of(const struct places *places, size_t span)
{
	return places->at ? place_of(places, span)->more : 0;
}

/* Makes room for one more span. Returns false without memory. */
bool places_grow(struct places *places);

static inline void places_lack(struct places *places, size_t span)
{
	if (places->lacks_count < LACKS_MOST)
		places->lacks[places->lacks_count++] = span;
	else
		places->unlisted = true;
}

/* Without memory the count stays as it was. */
static inline void more_add(struct places *places, size_t span, int64_t change)
{
	struct idle_place *place;
	bool lacked;

	if (!change ||
	    (places->count >= places->room / 4 * 3 && !places_grow(places)))
		return;
	place = place_of(places, span);
	places->count += !place->span;
	place->span = span;
	lacked = place->more < 0;
	place->more += change;
	if (place->more < 0 && !lacked)
		places_lack(places, span);
}

/* Counts what became of blocks. Returns how many requests no idle block of
 * their span would have served in a pool that keeps all. */
size_t places_learn(struct places *places, const struct roomy_event *event);

/* The largest span, less than `below`, whose count is negative; or 0. */
size_t places_surplus(struct places *places, size_t below);

void places_clear(struct places *places);

#endif
