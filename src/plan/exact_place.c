#include "plan/exact.h"

#include <stdlib.h>
#include <string.h>

/* Of the weights, from one start to the next: what is long ago counts less. */
#define KEPT 0.9F

static uint64_t mix(uint64_t word)
{
	word *= UINT64_C(0x9e3779b97f4a7c15);
	word = (word ^ word >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return word ^ word >> 32;
}

/* The sum of these, over all that are not placed, names a state. */
static void rehash(struct exact *exact, uint32_t at)
{
	struct exact_buffer *buffer = &exact->buffers[at];
	uint64_t place =
		(uint64_t)buffer->rest << 32 | (uint32_t)buffer->refused;

	exact->hash -= buffer->hash;
	buffer->hash = exact->floors[at] == exact_placed
			       ? 0
			       : mix(place + mix(at + 1));
	exact->hash += buffer->hash;
}

static void note_change(struct exact *exact, uint32_t at, bool placed)
{
	struct exact_buffer *buffer = &exact->buffers[at];

	if (exact->change_count == exact->change_room) {
		size_t room = exact->change_room * 2;
		struct exact_change *changes =
			realloc(exact->changes, room * sizeof *changes);

		if (changes) {
			exact->changes = changes;
			exact->change_room = room;
		} else {
			/* A change is lost, and with it this search. */
			exact->stopped = true;
			exact->change_count--;
		}
	}
	exact->changes[exact->change_count++] =
		(struct exact_change){at,
				      placed,
				      buffer->rest,
				      exact->floors[at],
				      buffer->refused,
				      buffer->support,
				      buffer->support_floor};
}

void exact_note_change(struct exact *exact, uint32_t at)
{
	note_change(exact, at, false);
}

static void open_stretch(struct exact *exact, struct stretch stretch,
			 int32_t size)
{
	for (uint32_t s = stretch.from; s < stretch.to; s++) {
		exact->stale[s] = true;
		exact->room[s] += size;
		exact->candidates[s] =
			exact->room[s] == exact->capacity ? section_empty : 0;
	}
	for (uint32_t s = stretch.from + 1; s < stretch.to; s++)
		exact->crossing[s]--;
}

/* A floor was raised: it is no candidate any more where it now has no room. */
static void drop_candidate(struct exact *exact, uint32_t from, uint32_t to,
			   int32_t old, int32_t floor)
{
	const int32_t *room = exact->room;
	int32_t *candidates = exact->candidates;
	bool *stale = exact->stale;

	for (uint32_t s = from; s < to; s++) {
		candidates[s] -= (room[s] >= old) & (room[s] < floor);
		stale[s] |= room[s] >= old;
	}
}

static void add_candidate(struct exact *exact, uint32_t from, uint32_t to,
			  int32_t floor)
{
	const int32_t *room = exact->room;
	int32_t *candidates = exact->candidates;

	for (uint32_t s = from; s < to; s++)
		candidates[s] += room[s] >= floor;
}

/* The same in all sections of a buffer. */
static void drop_everywhere(struct exact *exact, uint32_t at, int32_t old)
{
	const struct exact_buffer *buffer = &exact->buffers[at];

	for (int i = 0; i < 2; i++)
		drop_candidate(exact, buffer->lives[i].from,
			       buffer->lives[i].to, old, exact->floors[at]);
}

/* Counts a neighbour of what was placed, in whose sections the count began
 * anew. */
static void count_neighbour(struct exact *exact, uint32_t at,
			    struct stretch placed, int32_t old)
{
	const struct exact_buffer *neighbour = &exact->buffers[at];
	int32_t floor = exact->floors[at];

	for (int i = 0; i < 2; i++) {
		uint32_t from = neighbour->lives[i].from;
		uint32_t to = neighbour->lives[i].to;
		uint32_t first = from > placed.from ? from : placed.from;
		uint32_t last = to < placed.to ? to : placed.to;

		if (first >= last) {
			if (floor != old)
				drop_candidate(exact, from, to, old, floor);
			continue;
		}
		add_candidate(exact, first, last, floor);
		if (floor == old)
			continue;
		drop_candidate(exact, from, first, old, floor);
		drop_candidate(exact, last, to, old, floor);
	}
}

/* Counts all of some sections anew. */
static void count_members(struct exact *exact, struct stretch stretch)
{
	for (uint32_t s = stretch.from; s < stretch.to; s++) {
		uint32_t end = exact->member_starts[s + 1];

		for (uint32_t i = exact->member_starts[s]; i < end; i++)
			exact->candidates[s] +=
				exact->floors[exact->members[i]] <=
				exact->room[s];
	}
}

/* A neighbour now lies above what was placed. */
static void raise_neighbour(struct exact *exact, uint32_t at, int32_t offset,
			    int32_t top)
{
	struct exact_buffer *buffer = &exact->buffers[at];
	int32_t rest = (top + buffer->align - 1) & -buffer->align;
	bool freed = buffer->refused > offset;

	if (rest <= buffer->rest && !freed)
		return;
	exact_note_change(exact, at);
	if (rest > buffer->rest)
		buffer->rest = rest;
	if (freed)
		buffer->refused = 0;
	if (buffer->rest > exact->floors[at])
		exact->floors[at] = buffer->rest;
	rehash(exact, at);
}

bool exact_lift(struct exact *exact, uint32_t at, int32_t floor)
{
	int32_t old = exact->floors[at];

	exact->floors[at] = floor;
	drop_everywhere(exact, at, old);
	return floor + exact->sizes[at] <= exact->capacity;
}

static bool place(struct exact *exact, uint32_t at)
{
	struct exact_buffer *buffer = &exact->buffers[at];
	int32_t offset = exact->floors[at], top = offset + exact->sizes[at];
	bool wraps = buffer->lives[1].to != 0, fits = true;

	note_change(exact, at, true);
	buffer->offset = offset;
	exact->floors[at] = exact_placed;
	rehash(exact, at);
	exact->wrapping -= wraps;
	exact->left--;
	if (!wraps)
		open_stretch(exact, buffer->lives[0], exact->sizes[at]);
	for (uint32_t i = exact->starts[at]; i < exact->starts[at + 1]; i++) {
		uint32_t other = exact->neighbours[i];
		int32_t old = exact->floors[other];

		if (old == exact_placed)
			continue;
		raise_neighbour(exact, other, offset, top);
		if (wraps)
			drop_everywhere(exact, other, old);
		else
			count_neighbour(exact, other, buffer->lives[0], old);
		fits &= exact->floors[other] + exact->sizes[other] <=
			exact->capacity;
	}
	for (int i = 0; wraps && i < 2; i++) {
		open_stretch(exact, buffer->lives[i], exact->sizes[at]);
		count_members(exact, buffer->lives[i]);
	}
	if (!fits || !exact_raise_all(exact))
		return false;
	if (exact->left < exact->least_left)
		exact->least_left = exact->left;
	return true;
}

/* The same by a look alone, which costs much less. The section that had no
 * candidate the last time is likely to have none again. */
static bool fails_again(struct exact *exact, uint32_t at)
{
	struct exact_look look = exact->looks[at];

	if (exact_is_refuted(exact, at))
		return true;
	if (exact->blamed == exact_none)
		return false;
	exact_look_at(exact, at, exact->blamed);
	if (exact_is_refuted(exact, at))
		return true;
	exact->looks[at] = look;
	return false;
}

bool exact_place(struct exact *exact, uint32_t at)
{
	if (fails_again(exact, at)) {
		exact_blame(exact, exact->looks[at].section);
		return false;
	}
	exact->blamed = exact_none;
	if (place(exact, at))
		return true;
	if (exact->blamed != exact_none)
		exact_look_at(exact, at, exact->blamed);
	return false;
}

bool exact_refuse(struct exact *exact, uint32_t at)
{
	int32_t floor = exact->floors[at];
	uint32_t next = at;

	/* A plan with the place for an equal buffer is the same plan. */
	do {
		struct exact_buffer *buffer = &exact->buffers[next];

		if (!buffer->refused && exact->floors[next] == floor) {
			note_change(exact, next, false);
			buffer->refused = floor + exact->sizes[next];
			buffer->support = -1;
			rehash(exact, next);
			if (!exact->is_waiting[next]) {
				exact->is_waiting[next] = true;
				exact->waiting[exact->waiting_count++] = next;
			}
		}
		next = buffer->twin;
	} while (next != at);
	return exact_raise_all(exact);
}

void exact_undo(struct exact *exact, size_t change_count,
		uint32_t waiting_count)
{
	/* Before these changes all had been looked at. */
	memset(exact->stale, 0, exact->sections);
	while (exact->change_count > change_count) {
		const struct exact_change *change =
			&exact->changes[--exact->change_count];
		struct exact_buffer *buffer = &exact->buffers[change->buffer];

		if (change->placed) {
			exact->left++;
			exact->wrapping += buffer->lives[1].to != 0;
			for (int i = 0; i < 2; i++)
				for (uint32_t s = buffer->lives[i].from + 1;
				     s < buffer->lives[i].to; s++)
					exact->crossing[s]++;
		}
		buffer->rest = change->rest;
		exact->floors[change->buffer] = change->floor;
		buffer->refused = change->refused;
		buffer->support = change->support;
		buffer->support_floor = change->support_floor;
		rehash(exact, change->buffer);
	}
	while (exact->waiting_count > waiting_count)
		exact->is_waiting[exact->waiting[--exact->waiting_count]] =
			false;
}

void exact_reset(struct exact *exact)
{
	uint32_t sections = exact->sections;

	exact->hash = 0;
	exact->wrapping = 0;
	exact->change_count = 0;
	exact->saved_count = 0;
	exact->waiting_count = 0;
	exact->left = exact->least_left = exact->count;
	memset(exact->is_waiting, 0, exact->count);
	memset(exact->stale, 1, sections);
	memset(exact->crossing, 0, sections * sizeof *exact->crossing);
	for (uint32_t s = 0; s < sections; s++) {
		exact->room[s] = exact->capacity - exact->load[s];
		exact->weights[s] *= KEPT;
		exact->candidates[s] = exact->load[s] ? 0 : section_empty;
	}
	for (uint32_t at = 0; at < exact->count; at++) {
		struct exact_buffer *buffer = &exact->buffers[at];

		buffer->rest = buffer->refused = 0;
		exact->floors[at] = 0;
		buffer->hash = 0;
		rehash(exact, at);
		exact->wrapping += buffer->lives[1].to != 0;
		for (int i = 0; i < 2; i++) {
			struct stretch lives = buffer->lives[i];

			add_candidate(exact, lives.from, lives.to, 0);
			for (uint32_t s = lives.from + 1; s < lives.to; s++)
				exact->crossing[s]++;
		}
	}
}
