#include "plan/beginning.h"

#include <stdlib.h>

#include "plan/cycle.h"

enum { LOOK = 32 }; /* requests by which an iteration is known */

static uint32_t token_of(const struct cycle *cycle, uint64_t request)
{
	return cycle->requests[request % cycle->count].token;
}

/* Whether the program kept what that request was served by, beyond what the
 * plan has of it. */
static bool is_kept(const struct cycle *cycle, uint64_t serial)
{
	uint32_t life = cycle->before[serial].life;

	return !life || life > cycle->laps * cycle->length;
}

/* Whether the program came as the iteration does from that request on. */
static bool came_as(const struct cycle *cycle, uint64_t serial, uint32_t least)
{
	uint64_t i = 0;

	if (serial + LOOK > cycle->before_count)
		return false;
	while (i < LOOK &&
	       cycle->before[serial + i].token == token_of(cycle, least + i))
		i++;
	return i == LOOK;
}

static bool begin_equal(const struct cycle *cycle, uint32_t slot,
			uint32_t least)
{
	uint64_t i = 0;

	while (i < LOOK &&
	       token_of(cycle, slot + i) == token_of(cycle, least + i))
		i++;
	return i == LOOK;
}

/* Of iterations that are a part of a longer one, several begin alike. The first
 * one of a program may have more requests than later ones, as it takes what the
 * program keeps. So the slot is the one that leaves the fewest of these. */
static uint32_t slot_of(const struct cycle *cycle, uint64_t serial,
			uint32_t least)
{
	uint64_t phase = cycle->first % cycle->length + cycle->length -
			 serial % cycle->length;
	uint64_t best = UINT64_MAX;
	uint32_t slot = least;

	for (uint32_t i = 0; i < cycle->count; i++) {
		uint64_t more = (cycle->requests[i].at + phase) % cycle->length;

		if (more >= best || !begin_equal(cycle, i, least))
			continue;
		best = more;
		slot = i;
	}
	return slot;
}

/* Without memory, nothing is known. */
static bool kept_find(const struct cycle *cycle, struct beginning *beginning)
{
	struct beginning_kept *kept;
	size_t count = 0;

	for (uint64_t i = beginning->requests; i < cycle->first; i++)
		count += is_kept(cycle, i);
	if (!count)
		return true;
	kept = malloc(count * sizeof(*kept));
	if (!kept)
		return false;
	beginning->kept = kept;
	beginning->kept_count = count;
	for (uint64_t i = beginning->requests; i < cycle->first; i++)
		if (is_kept(cycle, i))
			*kept++ = (struct beginning_kept){
				i, cycle->before[i].size};
	return true;
}

/* What is kept is no part of an iteration, as much as it may look like the end
 * of one. */
static void go_on(const struct cycle *cycle, struct beginning *beginning)
{
	while (beginning->requests < cycle->first &&
	       is_kept(cycle, beginning->requests)) {
		beginning->requests++;
		beginning->slot =
			(uint32_t)((beginning->slot + 1) % cycle->count);
	}
}

/* An iteration may be known best in its middle, as where its activations are
 * gone. So goes back as far as the program came as the plan does, but for what
 * it keeps. */
static void go_back(const struct cycle *cycle, struct beginning *beginning)
{
	uint64_t at = beginning->requests;

	while (at--) {
		if (is_kept(cycle, at))
			continue;
		if (cycle->before[at].token !=
		    token_of(cycle, beginning->slot + cycle->count - 1))
			break;
		beginning->requests = at;
		beginning->slot =
			(uint32_t)((beginning->slot + cycle->count - 1) %
				   cycle->count);
	}
}

struct beginning beginning_find(const struct cycle *cycle, uint32_t least)
{
	struct beginning beginning = {0};
	uint64_t serial = 0;

	while (serial < cycle->before_count && !came_as(cycle, serial, least))
		serial++;
	if (serial >= cycle->before_count)
		return beginning;
	beginning.requests = serial;
	beginning.slot = slot_of(cycle, serial, least);
	go_back(cycle, &beginning);
	if (beginning.requests == serial)
		go_on(cycle, &beginning);
	/* Without any request before, each program would begin so. */
	if (!beginning.requests || !kept_find(cycle, &beginning))
		return (struct beginning){0};
	beginning.known = true;
	for (uint64_t i = 0; i < beginning.requests; i++)
		beginning.sum =
			beginning_add(beginning.sum, cycle->before[i].token);
	return beginning;
}

void beginning_release(struct beginning *beginning)
{
	free(beginning->kept);
	*beginning = (struct beginning){0};
}
