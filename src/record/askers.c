#include "askers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

enum {
	PLACES_FIRST = 1 << 12,
	KEPT_FLAGS = MNM_RECORD_ORDERED | MNM_RECORD_STACKED
};

struct asker {
	uint64_t address; /* 0: the place is empty */
	uint64_t site;
	uint32_t thread;
	uint16_t stream;
	uint8_t flags;
};

/* A table by addresses. What has no room at its own place is at one of those
 * behind it, with no empty one in between. */
static struct asker *askers;
static size_t places, count; /* a power of two, at least twice the count */

static size_t home_of(uint64_t address)
{
	return (address * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (places - 1);
}

static size_t next_to(size_t place)
{
	return (place + 1) & (places - 1);
}

/* Its place, or the empty one where it may be entered. */
static struct asker *asker_at(uint64_t address)
{
	size_t place = home_of(address);

	while (askers[place].address && askers[place].address != address)
		place = next_to(place);
	return &askers[place];
}

static bool grow(void)
{
	struct asker *before = askers;
	size_t size = places, wanted = places ? 2 * places : PLACES_FIRST;
	struct asker *more = calloc(wanted, sizeof(*more));

	if (!more)
		return false;
	askers = more;
	places = wanted;
	for (size_t i = 0; i < size; i++)
		if (before[i].address)
			*asker_at(before[i].address) = before[i];
	free(before);
	return true;
}

/* The place for what is known of a block there, or NULL. */
static struct asker *asker_enter(uint64_t address)
{
	struct asker *asker = places ? asker_at(address) : NULL;

	if (asker && asker->address)
		return asker;
	if (count == ASKERS_MOST || (2 * count >= places && !grow()))
		return NULL;
	count++;
	return asker_at(address);
}

static void asker_add(const struct mnm_record_event *event)
{
	struct asker *asker =
		event->address ? asker_enter(event->address) : NULL;

	if (asker)
		*asker = (struct asker){
			.address = event->address,
			.site = event->site,
			.thread = event->thread,
			.stream = (uint16_t)event->stream,
			.flags = event->flags & KEPT_FLAGS,
		};
}

/* Whether what belongs at `home` may move to `gap` from behind it. */
static bool may_move(size_t home, size_t gap, size_t from)
{
	return ((from - home) & (places - 1)) >= ((from - gap) & (places - 1));
}

static void asker_remove(uint64_t address)
{
	struct asker *asker = count && address ? asker_at(address) : NULL;
	size_t gap, at;

	if (!asker || !asker->address)
		return;
	gap = (size_t)(asker - askers);
	for (at = next_to(gap); askers[at].address; at = next_to(at))
		if (may_move(home_of(askers[at].address), gap, at)) {
			askers[gap] = askers[at];
			gap = at;
		}
	askers[gap].address = 0;
	count--;
}

void askers_follow(const struct mnm_record_event *event)
{
	if (event->kind == MNM_RECORD_ALLOC)
		asker_add(event);
	else if (event->kind == MNM_RECORD_FREE)
		asker_remove(event->address);
}

void asker_tell(struct mnm_record_event *live)
{
	const struct asker *asker =
		count && live->address ? asker_at(live->address) : NULL;

	if (!asker || !asker->address)
		return;
	live->site = asker->site;
	live->thread = asker->thread;
	live->stream = asker->stream;
	live->flags |= asker->flags;
}

void askers_forget(void)
{
	free(askers);
	askers = NULL;
	places = count = 0;
}
