#include "held_bytes.h"

#include <stdlib.h>

#include "pools/extent_tree.h"

enum { SLAB_PIECES = 64 };

struct piece_slab {
	struct piece_slab *next;
	struct extent pieces[SLAB_PIECES];
};

void held_bytes_close(struct held_bytes *held)
{
	struct held_region *region = held->regions, *next;
	struct piece_slab *slab;

	HASH_CLEAR(hh, held->regions); /* they stay linked */
	for (; region; region = next) {
		next = region->hh.next;
		free(region);
	}
	while ((region = held->ended)) {
		held->ended = region->next;
		free(region);
	}
	while ((slab = held->slabs)) {
		held->slabs = slab->next;
		free(slab);
	}
	*held = (struct held_bytes){0};
}

static void spare_push(struct held_bytes *held, struct extent *piece)
{
	piece->by_size[0] = held->spare;
	held->spare = piece;
	held->spares++;
}

bool held_bytes_prepare(struct held_bytes *held, size_t most)
{
	struct piece_slab *slab;

	while (held->count + held->spares < most) {
		slab = malloc(sizeof(*slab));
		if (!slab)
			return false;
		slab->next = held->slabs;
		held->slabs = slab;
		for (size_t i = SLAB_PIECES; i--;)
			spare_push(held, &slab->pieces[i]);
	}
	return true;
}

static void region_refresh(struct held_region *region)
{
	region->seen.base = region->base = region->given->base;
	region->seen.bytes = region->bytes = region->given->bytes;
	region->seen.grows = region->grows = region->given->grows;
}

/* Nobody says when a region that grows has ended, and another one's record may
 * lie at its place then. So one that has a copy is marked, by `since`, which
 * nobody else uses there. */
struct held_region *held_region_find(struct held_bytes *held,
				     const struct mnm_region *given)
{
	struct held_region *region = held->last;

	if (!region || region->given != given)
		HASH_FIND_PTR(held->regions, &given, region);
	if (!region || !given->since)
		return NULL;
	held->last = region;
	region_refresh(region);
	return region;
}

/* The record is another region's by now. The pool may still know its copy. */
static void region_ended(struct held_bytes *held,
			 const struct mnm_region *given)
{
	struct held_region *region;

	HASH_FIND_PTR(held->regions, &given, region);
	if (!region)
		return;
	HASH_DEL(held->regions, region);
	held->last = NULL;
	region->next = held->ended;
	held->ended = region;
}

struct held_region *held_region_current(struct held_bytes *held,
					struct mnm_region *given)
{
	struct held_region *region = held_region_find(held, given);

	if (region)
		return region;
	region = calloc(1, sizeof(*region));
	if (!region)
		return NULL;
	region_ended(held, given);
	region->seen = *given;
	region->given = given;
	given->since = 1;
	region_refresh(region);
	HASH_ADD_PTR(held->regions, given, region);
	if (region->hh.tbl)
		return region;
	free(region);
	return NULL;
}

void held_region_drop(struct held_bytes *held, struct held_region *region)
{
	HASH_DEL(held->regions, region);
	held->last = NULL;
	free(region);
}

static bool region_is_whole(const struct held_region *region)
{
	return !region->grows && region->free == region->bytes;
}

/* Counts bytes of a region that are free from now on, or are not (negative). */
static void region_count(struct held_bytes *held, struct mnm_region *seen,
			 size_t change)
{
	struct held_region *region = (struct held_region *)seen;

	held->wholes -= region_is_whole(region);
	region->free += change;
	held->wholes += region_is_whole(region);
}

static void piece_add(struct held_bytes *held, const struct extent *what)
{
	struct extent *piece = held->spare;

	held->spare = piece->by_size[0];
	held->spares--;
	*piece = *what;
	held->random = held->random * UINT32_C(0x915f77f5) + 1;
	piece->priority = held->random;
	extent_tree_insert(&held->pieces, piece, EXTENT_BY_ADDRESS);
	held->count++;
	region_count(held, piece->region, piece->bytes);
}

void held_bytes_add(struct held_bytes *held, const struct mnm_place *place,
		    struct held_region *region)
{
	const struct extent piece = {.addr = place->addr,
				     .bytes = place->bytes,
				     .region = &region->seen,
				     .epoch = place->epoch,
				     .stream = place->stream};

	piece_add(held, &piece);
}

static struct extent *piece_from(const struct held_bytes *held, uint64_t addr)
{
	return extent_tree_from(held->pieces, (struct extent_key){addr, 0},
				EXTENT_BY_ADDRESS);
}

/* The piece that has an address, or NULL. */
static struct extent *piece_at(const struct held_bytes *held, uint64_t addr)
{
	struct extent *at = held->pieces, *found = NULL;

	while (at) {
		if (at->addr <= addr) {
			found = at;
			at = at->by_address[1];
		} else {
			at = at->by_address[0];
		}
	}
	return found && addr - found->addr < found->bytes ? found : NULL;
}

static bool is_ready(const struct extent *piece,
		     const struct mnm_request *request)
{
	return piece->epoch == MNM_EPOCH_NEVER ||
	       mnm_request_is_behind(request, piece->stream, piece->epoch);
}

/* What stands for bytes of which some were freed so, and others as the place
 * says: they were freed in the order of one stream only if all were. */
static void place_join(struct mnm_place *place, const struct extent *piece)
{
	if (piece->epoch == MNM_EPOCH_NEVER)
		return;
	place->stream = place->epoch == MNM_EPOCH_NEVER ||
					place->stream == piece->stream
				? piece->stream
				: 0;
	if (piece->epoch > place->epoch)
		place->epoch = piece->epoch;
}

bool held_bytes_has(const struct held_bytes *held, struct mnm_place *place,
		    const struct mnm_request *request,
		    struct held_region **region, bool *ready)
{
	const struct extent *piece = piece_at(held, place->addr);
	uint64_t at = place->addr, end = place->addr + place->bytes;
	struct mnm_place all = {.addr = place->addr, .bytes = place->bytes};

	if (!piece || end <= at)
		return false;
	*region = (struct held_region *)piece->region;
	*ready = true;
	while (at < end) {
		if (!piece || piece->region != &(*region)->seen)
			return false;
		*ready &= !request || is_ready(piece, request);
		place_join(&all, piece);
		at = piece->addr + piece->bytes;
		piece = piece_at(held, at);
	}
	all.region = (*region)->given;
	*place = all;
	return true;
}

/* Takes a piece out, and puts back what lies outside of the bytes. */
static void piece_cut(struct held_bytes *held, struct extent *piece,
		      uint64_t addr, uint64_t end)
{
	struct extent front = *piece, back = *piece;
	uint64_t piece_end = piece->addr + piece->bytes;

	extent_tree_remove(&held->pieces, piece, EXTENT_BY_ADDRESS);
	held->count--;
	region_count(held, front.region, -front.bytes);
	spare_push(held, piece);
	if (front.addr < addr) {
		front.bytes = addr - front.addr;
		piece_add(held, &front);
	}
	if (piece_end > end) {
		back.addr = end;
		back.bytes = piece_end - end;
		piece_add(held, &back);
	}
}

void held_bytes_take(struct held_bytes *held, const struct mnm_place *place)
{
	uint64_t end = place->addr + place->bytes;
	struct extent *piece = piece_at(held, place->addr);

	while (piece && piece->addr < end) {
		piece_cut(held, piece, place->addr, end);
		piece = piece_from(held, place->addr);
	}
}

bool held_bytes_pop(struct held_bytes *held, struct mnm_place *place)
{
	struct extent *piece = piece_from(held, 0);

	if (!piece)
		return false;
	*place = (struct mnm_place){
		.region = ((struct held_region *)piece->region)->given,
		.addr = piece->addr,
		.bytes = piece->bytes,
		.epoch = piece->epoch,
		.stream = piece->stream,
	};
	piece_cut(held, piece, piece->addr, piece->addr + piece->bytes);
	return true;
}

bool held_bytes_has_whole(const struct held_bytes *held)
{
	return held->wholes;
}
