/* A replay's tables, which are made once, and the predecessors of its slots. */
#include <stdlib.h>
#include <string.h>

#include "replay_own.h"

enum { PIECES_MOST = 1 << 28 }; /* of all slots together */

/* The bytes of all slots, cut where a slot begins or ends, and who has each
 * piece last. */
struct pieces {
	uint64_t *edges; /* in order; the last one ends the last piece */
	size_t count;    /* of edges */
	uint32_t *owners;
	uint32_t *seen; /* of each slot, for whom it was noted last */
	struct replay *replay;
	size_t noted, room; /* of replay->before */
};

static int edge_compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

static size_t edges_unique(uint64_t *edges, size_t count)
{
	size_t kept = 1;

	qsort(edges, count, sizeof(*edges), edge_compare);
	for (size_t i = 1; i < count; i++)
		if (edges[i] != edges[kept - 1])
			edges[kept++] = edges[i];
	return kept;
}

static void pieces_close(struct pieces *pieces)
{
	free(pieces->edges);
	free(pieces->owners);
	free(pieces->seen);
}

static bool pieces_open(struct pieces *pieces, struct replay *replay)
{
	const size_t count = replay->count;

	*pieces = (struct pieces){
		.edges = calloc(2 * count, sizeof(*pieces->edges)),
		.owners = calloc(2 * count, sizeof(*pieces->owners)),
		.seen = calloc(count, sizeof(*pieces->seen)),
		.replay = replay,
	};
	if (!pieces->edges || !pieces->owners || !pieces->seen) {
		pieces_close(pieces);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		pieces->edges[2 * i] = replay->slots[i].offset;
		pieces->edges[2 * i + 1] =
			replay->slots[i].offset + replay->slots[i].size;
		pieces->seen[i] = REPLAY_NONE;
	}
	pieces->count = edges_unique(pieces->edges, 2 * count);
	memset(pieces->owners, 0xff, pieces->count * sizeof(*pieces->owners));
	return true;
}

/* The piece that begins there. */
static size_t piece_at(const struct pieces *pieces, uint64_t offset)
{
	size_t low = 0, high = pieces->count - 1, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (pieces->edges[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool before_note(struct pieces *pieces, uint32_t slot)
{
	struct replay *replay = pieces->replay;
	uint32_t *grown;

	if (pieces->noted == pieces->room) {
		pieces->room = pieces->room ? 2 * pieces->room : replay->count;
		grown = realloc(replay->before, pieces->room * sizeof(*grown));
		if (!grown)
			return false;
		replay->before = grown;
	}
	replay->before[pieces->noted++] = slot;
	return true;
}

/* The slot has its bytes now. `note`: those that had them last are noted. */
static bool slot_passes(struct pieces *pieces, uint32_t slot, bool note)
{
	const struct replay_slot *at = &pieces->replay->slots[slot];
	uint32_t owner;

	if (!at->size)
		return true;
	for (size_t i = piece_at(pieces, at->offset);
	     pieces->edges[i] < at->offset + at->size; i++) {
		owner = pieces->owners[i];
		pieces->owners[i] = slot;
		if (!note || pieces->seen[owner] == slot)
			continue;
		pieces->seen[owner] = slot;
		if (!before_note(pieces, owner))
			return false;
	}
	return true;
}

/* A large slot may lie over thousands of small ones, again and again. Whether
 * there is an end to it within a second or so. */
static bool pieces_are_few(const struct pieces *pieces)
{
	const struct replay *replay = pieces->replay;
	uint64_t sum = 0;

	for (size_t i = 0; i < replay->count; i++) {
		const struct replay_slot *at = &replay->slots[i];

		sum += piece_at(pieces, at->offset + at->size) -
		       piece_at(pieces, at->offset);
	}
	return sum <= PIECES_MOST;
}

/* Once around the cycle, so that each piece has an owner, and once more. */
static bool predecessors_find(struct replay *replay)
{
	struct pieces pieces;
	bool found = true;

	if (!pieces_open(&pieces, replay))
		return false;
	if (!pieces_are_few(&pieces)) {
		pieces_close(&pieces);
		return false;
	}
	for (uint32_t i = 0; i < replay->count; i++)
		slot_passes(&pieces, i, false);
	for (uint32_t i = 0; i < replay->count && found; i++) {
		replay->starts[i] = pieces.noted;
		found = slot_passes(&pieces, i, true);
	}
	replay->starts[replay->count] = pieces.noted;
	pieces_close(&pieces);
	return found;
}

struct replay *replay_open(const struct replay_slot *slots, size_t count,
			   size_t laps)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return NULL;
	replay->count = count;
	replay->lap = count / laps;
	replay->slots = malloc(count * sizeof(*slots));
	replay->states = calloc(count, sizeof(*replay->states));
	replay->starts = calloc(count + 1, sizeof(*replay->starts));
	if (replay->slots && replay->states && replay->starts) {
		memcpy(replay->slots, slots, count * sizeof(*slots));
		for (size_t i = 0; i < count; i++)
			replay->states[i].size =
				slots[i].plain ? slots[i].size : NO_SIZE;
		for (size_t i = 0; i < count; i++)
			replay->states[i].life = slots[i].life;
		replay_begin(replay, REPLAY_NONE);
		if (predecessors_find(replay) && grams_open(replay))
			return replay;
	}
	replay_close(replay);
	return NULL;
}

void replay_close(struct replay *replay)
{
	if (!replay)
		return;
	free(replay->slots);
	free(replay->states);
	free(replay->starts);
	free(replay->before);
	free(replay->grams);
	free(replay);
}
