#include "segments.h"

#include "cycle.h"

static uint64_t hash_of(const struct history *history, uint64_t first,
			uint64_t end)
{
	uint64_t hash = 0;

	for (; first < end; first++) {
		hash = (hash ^ history_token_at(history, first)) *
		       UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

/* The last one that is equal and still known, or NULL. */
static const struct segment *equal_find(const struct segments *segments,
					const struct history *history,
					const struct segment *to)
{
	uint64_t known = segments->count < SEGMENTS_MOST ? segments->count
							 : SEGMENTS_MOST;

	for (uint64_t i = 1; i <= known; i++) {
		const struct segment *at =
			&segments->all[(segments->count - i) % SEGMENTS_MOST];

		if (at->length == to->length && at->hash == to->hash)
			return at->first < history->first ? NULL : at;
	}
	return NULL;
}

bool segments_end(struct segments *segments, const struct history *history,
		  uint64_t serial, struct period *found, bool *next)
{
	struct segment now = {.first = segments->begin,
			      .length = serial - segments->begin};
	bool whole = segments->begun && serial > segments->begin &&
		     segments->begin >= history->first;
	const struct segment *at;

	segments->begin = serial;
	segments->begun = true;
	/* A shorter one would not be known by its begin. */
	if (!whole || now.length < CYCLE_KEY ||
	    now.length > (history->mask + 1) / 8)
		return false;
	now.hash = hash_of(history, now.first, serial);
	at = equal_find(segments, history, &now);
	if (at) {
		*next = at->first + at->length == now.first;
		*found = (struct period){.first = at->first,
					 .length = at->length,
					 .found = history->count};
	}
	segments->all[segments->count++ % SEGMENTS_MOST] = now;
	return at;
}
