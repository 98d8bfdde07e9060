#include "plan/follow.h"

#include <stdlib.h>
#include <string.h>

enum {
	GRAM = 4,      /* requests by which a lost pointer is set anew */
	MOST_JUMP = 2, /* requests that may be missing at one place */
	LOST = 3,      /* requests in a row that none was like */
};

#define AMBIGUOUS (UINT32_MAX - 1)

static uint64_t gram_add(uint64_t gram, uint32_t token)
{
	return (gram << (64 / GRAM)) + token * UINT64_C(0x9e3779b97f4a7c15);
}

/* Where the last requests stand in the iteration, if at one place only. */
static uint32_t *place_of(const struct follow *follow, uint64_t gram)
{
	return &follow->places[gram * UINT64_C(0xd6e8feb86659fd93) >>
			       follow->shift];
}

static void places_fill(struct follow *follow)
{
	const struct cycle *cycle = follow->cycle;
	uint64_t gram = 0;

	for (size_t i = 0; i < cycle->count + GRAM - 1; i++) {
		uint32_t *place;

		gram = gram_add(gram, cycle->requests[i % cycle->count].token);
		if (i < GRAM - 1)
			continue;
		place = place_of(follow, gram);
		*place = *place == CYCLE_NONE ? (uint32_t)(i % cycle->count)
					      : AMBIGUOUS;
	}
}

bool follow_open(struct follow *follow, const struct cycle *cycle,
		 uint64_t since)
{
	unsigned int bits = 4;

	memset(follow, 0, sizeof(*follow));
	if (!cycle->count || cycle->count >= AMBIGUOUS)
		return false;
	while ((UINT64_C(1) << bits) < 8 * cycle->count)
		bits++;
	follow->places = malloc((sizeof(*follow->places)) << bits);
	if (!follow->places)
		return false;
	memset(follow->places, 0xff, (sizeof(*follow->places)) << bits);
	follow->cycle = cycle;
	follow->passed = FOLLOW_NONE;
	follow->shift = 64 - bits;
	places_fill(follow);
	while (follow->at < cycle->count - 1 &&
	       cycle->requests[follow->at].at < since % cycle->length)
		follow->at++;
	return true;
}

void follow_close(struct follow *follow)
{
	free(follow->places);
	memset(follow, 0, sizeof(*follow));
}

static size_t follow_go(struct follow *follow, size_t request)
{
	follow->lost = 0;
	follow->at = request + 1;
	if (follow->at == follow->cycle->count) {
		follow->at = 0;
		follow->lap++;
	}
	return request;
}

/* The request is another one than the next that is expected. */
static size_t follow_seek(struct follow *follow, uint32_t token)
{
	const struct cycle *cycle = follow->cycle;
	uint32_t place;

	/* It had looked as if this one were missing. */
	if (follow->passed < follow->at &&
	    follow->at - follow->passed <= MOST_JUMP + 1 &&
	    cycle->requests[follow->passed].token == token) {
		size_t request = follow->passed;

		follow->passed = FOLLOW_NONE;
		return follow_go(follow, request);
	}
	for (size_t next = follow->at + 1;
	     follow->lost < LOST && next <= follow->at + MOST_JUMP &&
	     next < cycle->count;
	     next++)
		if (cycle->requests[next].token == token) {
			follow->passed = follow->at;
			return follow_go(follow, next);
		}
	follow->gram = gram_add(follow->gram, token);
	if (++follow->lost < GRAM)
		return FOLLOW_NONE;
	place = *place_of(follow, follow->gram);
	/* The hash may be that of other requests, too. */
	if (place >= AMBIGUOUS || cycle->requests[place].token != token)
		return FOLLOW_NONE;
	if (place < follow->at)
		follow->lap++;
	return follow_go(follow, place);
}

size_t follow_next(struct follow *follow, uint32_t token)
{
	if (follow->cycle->requests[follow->at].token != token)
		return follow_seek(follow, token);
	return follow_go(follow, follow->at);
}
