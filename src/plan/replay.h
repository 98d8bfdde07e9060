/* Follows a program along a plan of what it repeats: says for each request
 * which slot of the plan it is, and whether that slot's place may be used.
 *
 * A plan has a slot for each request of a cycle, in the order of the requests.
 * A program may deviate: what was inserted has no slot, what was left out is
 * passed over, and neighbours may change places. Whatever it does, a place is
 * only used while no live block has any of its bytes. That is known at once
 * where the cycle was followed: each slot knows those that have its bytes last
 * before it, its *predecessors*, and these have been placed in their turn and
 * freed. Otherwise all live blocks are looked at. docs/tstack.md shows why the
 * first is enough. */
#ifndef MNM_REPLAY_H
#define MNM_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct replay_slot {
	uint32_t token;   /* of its request, see history_token */
	uint64_t size;    /* bytes; 0: the request is part of the cycle, but has
			   * no place */
	uint64_t offset;  /* in the arena */
	uint32_t request; /* its place among all requests of an iteration */
	uint32_t life;    /* of its block, in requests */
	uint64_t level;   /* bytes that lived before it as the plan was made */
	bool plain;       /* the token is that of this size in no stream's
			   * order */
};

/* When the bytes of a slot were last freed. */
struct replay_free {
	uint64_t epoch;
	unsigned int stream;
};

struct replay;

#define REPLAY_NONE UINT32_MAX /* no slot */

enum { REPLAY_GRAM = 4 }; /* requests in a row by which a place is found */

/* slots: of one cycle, 1 to 2^31 of them, which are copied; no two that live at
 * the same time overlap. laps: so many times, in equal parts of the cycle, the
 * same is asked for. Returns NULL without memory, or if the slots cut each
 * other into too many pieces. Takes a time that mostly grows as count *
 * log(count), so it is for a thread that may take it. */
struct replay *replay_open(const struct replay_slot *slots, size_t count,
			   size_t laps);
void replay_close(struct replay *replay);

/* The slots of a cycle; those of one lap; and those of a part of a lap, which
 * is the lap or what it repeats. */
size_t replay_count(const struct replay *replay);
size_t replay_lap(const struct replay *replay);
size_t replay_part(const struct replay *replay);
const struct replay_slot *replay_slot_at(const struct replay *replay,
					 uint32_t slot);

/* What cells know it by, if several replays share an arena. */
void replay_name(struct replay *replay, uint32_t name);

/* The plan is followed from now on, after another one or for the first time.
 * next: the slot of the next request; REPLAY_NONE: that has to be found. */
void replay_begin(struct replay *replay, uint32_t next);

/* To be called right after that: what is in the arena has been there before.
 * So places can be used in the first cycle without a look at all blocks, once
 * those that live now have been freed, if they are few. */
void replay_past(struct replay *replay, const struct arena *arena);

/* The arena is about to end, and its cells with it; or some of its bytes are
 * others'. */
void replay_leave(struct replay *replay);

/* Whether a request is the slot's, or a smaller one that may use its place. */
bool replay_fits(const struct replay *replay, uint32_t slot, uint32_t token,
		 uint64_t size);

/* The program asks for size bytes. Returns the slot that this is, which may be
 * one without a place, or REPLAY_NONE. It may ask again: only a request that
 * replay_served follows counts. */
uint32_t replay_ask(struct replay *replay, uint32_t token, uint64_t size);

/* The slot of the request that was asked for last, if that comes in its turn,
 * and is for the very size of its slot; or REPLAY_NONE. */
uint32_t replay_came(const struct replay *replay);

/* The request that was asked for last has been served; `placed`: where its slot
 * says. Returns whether it came in its turn and is for the very size of that
 * slot, so that it is a part of a run. */
bool replay_served(struct replay *replay, bool placed);

/* Says of each of the frees that have to be over before the slot's place is
 * used whether it is. */
typedef bool replay_ready(const struct replay_free *freed, void *argument);

enum replay_answer {
	REPLAY_FREE,  /* it may be used */
	REPLAY_TAKEN, /* a live block has some of its bytes */
	REPLAY_EARLY, /* `ready` has said no */
};

/* Whether the place of the slot that replay_ask has returned last may be used.
 * It has one. */
enum replay_answer replay_look(struct replay *replay, struct arena *arena,
			       uint32_t slot, replay_ready *ready,
			       void *argument);

/* Whether a cell's block, which has been freed, lived for about as long as it
 * was to. */
bool replay_lived(const struct arena_cell *cell);

/* The block of a slot has lived for so many requests, and is said to do so from
 * now on. If that was so a few times, nobody needs to be told any more. It does
 * not change where the plan has it. */
void replay_lives(struct replay *replay, uint32_t slot, uint32_t life);

/* Bytes of the arena that are free. */
struct replay_gap {
	uint64_t begin, end;
};

enum { REPLAY_GAPS = 64 };

struct replay_gaps {
	struct replay_gap at[REPLAY_GAPS];
	size_t count;
};

/* Notes one more. If there are too many, the smallest is forgotten. */
void replay_gaps_add(struct replay_gaps *gaps, uint64_t begin, uint64_t end);

/* Where so many bytes, for a block that has no slot, are free for the longest
 * time if the program goes on as planned: an offset in one of the gaps, each of
 * which has room for it; UINT64_MAX if there are none. *until: how many
 * requests will come before one for whose slot these bytes are, or so many that
 * there may be more. The gaps are changed. */
uint64_t replay_room(const struct replay *replay, struct replay_gaps *gaps,
		     uint64_t size, size_t *until);

/* A block without a slot is there from now on, in bytes that no live block has.
 * Returns its cell, or NULL without memory. */
struct arena_cell *replay_stray(struct replay *replay, struct arena *arena,
				uint64_t offset, uint64_t size, uint64_t now);

/* The cell that the slot's block had last, or NULL. */
struct arena_cell *replay_cell(const struct replay *replay, uint32_t slot);

/* The latest epoch in which the bytes that replay_look has found free may have
 * been freed. */
uint64_t replay_epoch(const struct replay *replay);

/* The place of the slot that replay_ask has returned last is used from now on,
 * by a block of size bytes. now: how many requests came before. Returns its
 * cell, where stray says whether it was not placed in its turn; or NULL without
 * memory. */
struct arena_cell *replay_take(struct replay *replay, struct arena *arena,
			       uint32_t slot, uint64_t size, uint64_t now);

/* Requests that came as the cycle has them, one behind the other from that slot
 * on, and got their places: the last of these since this was asked last. To be
 * asked before replay_ask, or requests that replay_step has served are not
 * seen. */
struct replay_run {
	uint32_t first;
	uint64_t count, bytes;
	uint64_t steps; /* of these, by replay_step */
};
struct replay_run replay_run(struct replay *replay);

/* The first slot of the last of these requests, if only one place of a part has
 * them in a row; or REPLAY_NONE. */
uint32_t replay_find(const struct replay *replay,
		     const uint32_t tokens[REPLAY_GRAM]);

/* The slot that comes next if the program does not deviate; REPLAY_NONE if it
 * is not known where it is. */
uint32_t replay_next(const struct replay *replay);

/* How many requests in a row, up to the last one that was served, had no
 * slot. */
unsigned int replay_missed(const struct replay *replay);

/* A number that rises as the cycle begins anew. */
uint64_t replay_cycles(const struct replay *replay);

#endif
