/* Whatever a program does, no byte has two owners, and none is used early. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "plan/arena.h"
#include "plan/history.h"
#include "plan/replay_step.h"

enum {
	SLOTS_MOST = 60,
	UNITS = 4096,
	BLOCKS_MOST = 512,
	STREAMS = 3,
	PLANS = 3,
};

static const uint64_t unit = 512;

/* As ck_assert, which writes down that it was passed each time: that would take
 * more time than all the rest. */
#define CLAIM(program, claim) \
	do { \
		if (!(claim)) \
			ck_abort_msg("%s, seed %llu", #claim, \
				     (unsigned long long)(program)->seed); \
	} while (0)

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(random_state >> 33) % below;
}

/* A cycle: what is asked for, how many requests it lives for, and where. */
struct cycle {
	uint32_t count;
	struct replay_slot slots[SLOTS_MOST];
	uint32_t lives[SLOTS_MOST];
	unsigned int streams[SLOTS_MOST];
};

static bool live_together(const struct cycle *cycle, uint32_t one,
			  uint32_t other)
{
	uint32_t count = cycle->count;

	return (other + count - one) % count < cycle->lives[one] ||
	       (one + count - other) % count < cycle->lives[other];
}

/* First fit, in the order of the requests. */
static void cycle_place(struct cycle *cycle)
{
	for (uint32_t i = 0; i < cycle->count; i++) {
		uint64_t offset = 0;

		for (uint32_t j = 0; j < i; j++) {
			const struct replay_slot *at = &cycle->slots[j];

			if (live_together(cycle, i, j) &&
			    at->offset < offset + cycle->slots[i].size &&
			    offset < at->offset + at->size) {
				offset = at->offset + at->size;
				j = UINT32_MAX; /* from the first one again */
			}
		}
		cycle->slots[i].offset = offset;
	}
}

static void cycle_name(struct cycle *cycle)
{
	for (uint32_t i = 0; i < cycle->count; i++)
		cycle->slots[i].token =
			history_token(cycle->slots[i].size, cycle->streams[i]);
	for (uint32_t i = 0; i < cycle->count; i++)
		cycle->slots[i].plain = !cycle->streams[i];
	for (uint32_t i = 0; i < cycle->count; i++)
		cycle->slots[i].life = cycle->lives[i];
}

static struct cycle cycle_drawn(void)
{
	struct cycle cycle = {.count = 1 + draw(SLOTS_MOST)};
	uint32_t sizes = 1 + draw(30), streams = 1 + draw(STREAMS);

	for (uint32_t i = 0; i < cycle.count; i++) {
		cycle.slots[i].size = (1 + draw(sizes)) * unit;
		cycle.streams[i] = draw(streams);
		cycle.lives[i] = 1 + draw(cycle.count);
	}
	cycle_place(&cycle);
	cycle_name(&cycle);
	return cycle;
}

struct live_block {
	uint64_t offset, size;
	uint32_t due; /* requests until it is freed */
	bool placed;
};

/* A program, and what is known of each unit of the arena apart from the code
 * that is tested. */
struct program {
	struct cycle cycle;
	struct arena arena;
	struct replay *replay;
	struct live_block blocks[BLOCKS_MOST];
	size_t count;
	bool owned[UNITS];
	struct replay_free freed[UNITS];
	unsigned int asking; /* the stream of the request */
	bool careful; /* that has to be behind frees of its own stream, too */
	uint64_t epoch, safe;
	uint64_t asked, served, stepped;
	uint64_t live; /* bytes of placed blocks */
	uint64_t run_bytes;
	int64_t counted; /* as the pool counts them */
	bool rooms;      /* blocks without a slot are placed as well */
	uint64_t bytes;  /* of the arena */
	uint64_t roomed; /* such blocks */
	uint64_t seed;
	struct { /* plans that have the same arena by turns */
		struct cycle cycle;
		struct replay *replay;
	} others[PLANS - 1];
};

static bool is_ready(const struct replay_free *freed, void *argument)
{
	const struct program *program = argument;

	return freed->epoch < program->safe ||
	       (!program->careful && freed->stream &&
		freed->stream == program->asking);
}

static void own(struct program *program, uint64_t offset, uint64_t size)
{
	CLAIM(program, offset + size <= UNITS * unit);
	for (uint64_t i = offset / unit; i < (offset + size) / unit; i++) {
		CLAIM(program, !program->owned[i]);
		CLAIM(program, is_ready(&program->freed[i], program));
		program->owned[i] = true;
	}
}

static void program_place(struct program *program, uint32_t slot, uint64_t size,
			  struct live_block *block)
{
	const struct replay_slot *at = replay_slot_at(program->replay, slot);
	struct arena_cell *cell;

	CLAIM(program, size <= at->size);
	own(program, at->offset, size);
	CLAIM(program, program->freed[at->offset / unit].epoch <=
			       replay_epoch(program->replay));
	cell = replay_take(program->replay, &program->arena, slot, size,
			   program->asked - 1);
	CLAIM(program, cell);
	cell->record = program;
	program->live += size;
	program->counted += (int64_t)size;
	block->offset = at->offset;
	block->size = size;
	block->placed = true;
	program->served++;
}

/* The short way, half of the times: it places as the long one does. */
static bool program_step_by(struct program *program, uint64_t size,
			    struct live_block *block)
{
	struct arena_cell *cell;

	if (draw(2))
		return false;
	cell = replay_step(program->replay, &program->arena, size,
			   program->safe, program->asked - 1);
	if (!cell)
		return false;
	CLAIM(program, cell->live && cell->size == size && !cell->stray);
	own(program, cell->offset, size);
	program->run_bytes += size;
	program->live += size;
	*block = (struct live_block){.due = block->due,
				     .offset = cell->offset,
				     .size = size,
				     .placed = true};
	program->served++;
	program->stepped++;
	return true;
}

/* The requests that came in their turn are known as one run. */
static void run_look(struct program *program)
{
	struct replay_run run = replay_run(program->replay);

	CLAIM(program, run.bytes == program->run_bytes);
	CLAIM(program,
	      !run.count || (run.first + run.count) % program->cycle.count ==
				    replay_next(program->replay));
	program->run_bytes = 0;
}

struct room {
	struct replay_gaps gaps;
	uint64_t size;
};

static void gap_note(void *argument, uint64_t offset, uint64_t size)
{
	struct room *room = argument;

	if (size >= room->size)
		replay_gaps_add(&room->gaps, offset, offset + size);
}

/* Bytes for a block without a slot, if all that was freed is ready. */
static void program_room(struct program *program, uint64_t size,
			 struct live_block *block)
{
	struct room room = {.size = size};
	struct replay_free latest;
	struct arena_age age;
	uint64_t offset;
	size_t until;

	arena_gaps(&program->arena, program->bytes, gap_note, &room);
	offset = replay_room(program->replay, &room.gaps, size, &until);
	if (offset == UINT64_MAX)
		return;
	CLAIM(program, arena_is_free(&program->arena, offset, size, &age));
	latest = (struct replay_free){age.epoch, age.stream};
	if (!is_ready(&latest, program))
		return;
	own(program, offset, size);
	CLAIM(program, replay_stray(program->replay, &program->arena, offset,
				    size, program->asked - 1));
	program->live += size;
	program->counted += (int64_t)size;
	block->offset = offset;
	block->size = size;
	block->placed = true;
	program->roomed++;
}

/* One request. fences: how many percent of early places are made ready. */
static void program_ask(struct program *program, uint64_t size,
			unsigned int stream, uint32_t life, uint32_t fences)
{
	struct live_block *block = &program->blocks[program->count];
	enum replay_answer answer = REPLAY_TAKEN;
	uint32_t slot;

	CLAIM(program, program->count < BLOCKS_MOST);
	*block = (struct live_block){.due = life};
	program->asked++;
	program->asking = stream;
	program->careful = !draw(4);
	if (!stream && program_step_by(program, size, block)) {
		program->count++;
		return;
	}
	run_look(program);
	for (int i = 0; i < 2; i++) {
		slot = replay_ask(program->replay, history_token(size, stream),
				  size);
		if (slot != REPLAY_NONE)
			answer = replay_look(program->replay, &program->arena,
					     slot, is_ready, program);
		if (answer != REPLAY_EARLY || draw(100) >= fences)
			break;
		program->safe = ++program->epoch;
	}
	if (slot != REPLAY_NONE && answer == REPLAY_FREE)
		program_place(program, slot, size, block);
	else if (program->rooms && draw(2))
		program_room(program, size, block);
	if (replay_served(program->replay,
			  slot != REPLAY_NONE && answer == REPLAY_FREE))
		program->run_bytes += size;
	program->count++;
}

static void program_free(struct program *program, size_t index)
{
	struct live_block *block = &program->blocks[index];
	struct arena_cell *found;
	struct replay_free freed = {.epoch = program->epoch};
	bool by_step;

	if (block->placed) {
		found = arena_find(&program->arena, block->offset);
		CLAIM(program, found && found->live);
		CLAIM(program, found->size == block->size);
		program->live -= block->size;
		by_step = !found->stray && draw(2);
		freed.stream = by_step ? 0 : draw(STREAMS);
		for (uint64_t i = block->offset / unit;
		     i < (block->offset + block->size) / unit; i++) {
			CLAIM(program, program->owned[i]);
			program->owned[i] = false;
			program->freed[i] = freed;
		}
		if (!by_step) {
			program->counted -= (int64_t)block->size;
			arena_leave(&program->arena, found, freed.epoch,
				    freed.stream, program->asked);
		} else {
			arena_cell_free(found, program->epoch, program->asked);
		}
		CLAIM(program, program->counted + program->arena.owed_bytes ==
				       (int64_t)program->arena.counted);
	}
	*block = program->blocks[--program->count];
}

/* A request has been served: what is due is freed. late: how many percent of
 * that is not, for now. */
static void program_step(struct program *program, uint32_t late)
{
	for (size_t i = program->count; i--;) {
		if (program->blocks[i].due)
			program->blocks[i].due--;
		if (!program->blocks[i].due && draw(100) >= late)
			program_free(program, i);
	}
	if (!draw(40))
		program->epoch++;
}

static void program_open(struct program *program, uint64_t seed)
{
	random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	*program = (struct program){.epoch = 1, .safe = 1, .seed = seed};
	program->cycle = cycle_drawn();
	program->replay =
		replay_open(program->cycle.slots, program->cycle.count, 1);
	ck_assert_ptr_nonnull(program->replay);
	for (uint32_t i = 0; i < program->cycle.count; i++) {
		const struct replay_slot *at = &program->cycle.slots[i];

		if (at->offset + at->size > program->bytes)
			program->bytes = at->offset + at->size;
	}
}

static void program_close(struct program *program)
{
	struct arena_owed owed;
	uint64_t bytes;

	while (program->count)
		program_free(program, 0);
	ck_assert_uint_eq(arena_live(&program->arena, &bytes), 0);
	ck_assert_uint_eq(bytes, 0);
	ck_assert_uint_eq(program->arena.strays, 0);
	for (size_t i = 0; i < program->arena.count; i++)
		arena_count(&program->arena, program->arena.cells[i]);
	owed = arena_owed(&program->arena);
	ck_assert_int_eq(program->counted + owed.bytes, 0);
	ck_assert_uint_eq(program->arena.counted, 0);
	replay_close(program->replay);
	for (int i = 0; i < PLANS - 1; i++)
		replay_close(program->others[i].replay);
	arena_close(&program->arena);
}

static void program_turn(struct program *program, uint32_t fences)
{
	const struct cycle *cycle = &program->cycle;

	for (uint32_t i = 0; i < cycle->count; i++) {
		program_step(program, 0);
		program_ask(program, cycle->slots[i].size, cycle->streams[i],
			    cycle->lives[i], fences);
	}
}

static void repeated_run(uint64_t seed)
{
	static struct program program;
	uint64_t before;

	program_open(&program, seed);
	replay_begin(program.replay, 0);
	program_turn(&program, 100);
	before = program.asked - program.served;
	for (int i = 0; i < 5; i++)
		program_turn(&program, 100);
	ck_assert_uint_eq(before, 0);
	ck_assert_uint_eq(program.asked, program.served);
	program_close(&program);
}

START_TEST(what_is_repeated_is_placed)
{
	for (uint64_t seed = 0; seed < 300; seed++)
		repeated_run(seed);
}
END_TEST

/* A program that deviates in all ways, with chances that are drawn as well. */
static void program_stray(struct program *program)
{
	const struct cycle *cycle = &program->cycle;
	uint32_t often[6], fences = draw(101), late = draw(30), next = 0;
	uint32_t other, life;

	for (int i = 0; i < 6; i++)
		often[i] = draw(3) ? draw(60) : 0;
	for (int i = 0; i < 600; i++) {
		const struct replay_slot *slot = &cycle->slots[next];

		program_step(program, late);
		life = cycle->lives[next] +
		       (draw(1000) < often[0] ? draw(99) : 0);
		other = (next + 1 + draw(3)) % cycle->count;
		if (draw(1000) < often[1]) { /* inserted */
			program_ask(program, (1 + draw(30)) * unit,
				    draw(STREAMS), 1 + draw(50), fences);
			continue;
		}
		if (draw(1000) < often[2]) { /* inserted, and known */
			program_ask(program, cycle->slots[other].size,
				    cycle->streams[other], 1 + draw(50),
				    fences);
			continue;
		}
		if (draw(1000) < often[3]) /* it goes on elsewhere */
			next = draw(cycle->count);
		if (draw(1000) < often[4]) { /* left out */
			next = (next + 1) % cycle->count;
			continue;
		}
		if (draw(1000) < often[5]) { /* the other comes first */
			program_ask(program, cycle->slots[other].size,
				    cycle->streams[other], cycle->lives[other],
				    fences);
			program_step(program, late);
		}
		program_ask(program,
			    slot->size - (draw(200) ? 0 : unit) +
				    (slot->size == unit ? unit : 0),
			    cycle->streams[next], life, fences);
		next = (next + 1) % cycle->count;
		if (program->count > BLOCKS_MOST / 2)
			late = 0;
	}
}

/* A place is found by four requests in a row that come once in the cycle. */
static void place_find(uint64_t seed)
{
	static struct program program;
	uint64_t before;

	program_open(&program, seed);
	for (uint32_t i = 0; i < program.cycle.count; i++)
		program.cycle.slots[i].size = (1 + i) * unit;
	cycle_place(&program.cycle);
	cycle_name(&program.cycle);
	replay_close(program.replay);
	program.replay =
		replay_open(program.cycle.slots, program.cycle.count, 1);
	for (uint32_t i = 0; i < 8; i += program.cycle.count)
		program_turn(&program, 100);
	before = program.asked - program.served;
	ck_assert_uint_eq(before, 3);
	for (int i = 0; i < 3; i++)
		program_turn(&program, 100);
	ck_assert_uint_eq(program.asked - program.served, before);
	program_close(&program);
}

START_TEST(the_place_in_a_cycle_is_found)
{
	for (uint64_t seed = 0; seed < 50; seed++)
		place_find(seed);
}
END_TEST

/* A part of different requests, several times in one cycle. */
static struct cycle cycle_of_parts(void)
{
	uint32_t part = 1 + draw(SLOTS_MOST / 3);
	struct cycle cycle = {.count = part * (2 + draw(2))};

	for (uint32_t i = 0; i < cycle.count; i++) {
		cycle.slots[i].size = (1 + i % part) * unit;
		cycle.lives[i] = i < part ? 1 + draw(cycle.count)
					  : cycle.lives[i - part];
	}
	cycle_place(&cycle);
	cycle_name(&cycle);
	return cycle;
}

/* Whichever of the equal parts it is. */
static void part_find(uint64_t seed)
{
	static struct program program;
	uint64_t before;

	program_open(&program, seed);
	program.cycle = cycle_of_parts();
	replay_close(program.replay);
	program.replay =
		replay_open(program.cycle.slots, program.cycle.count, 1);
	for (uint32_t i = 0; i < 8; i += program.cycle.count)
		program_turn(&program, 100);
	before = program.asked - program.served;
	ck_assert_uint_eq(before, 3);
	for (int i = 0; i < 3; i++)
		program_turn(&program, 100);
	ck_assert_uint_eq(program.asked - program.served, before);
	program_close(&program);
}

START_TEST(the_place_in_a_part_that_repeats_is_found)
{
	for (uint64_t seed = 0; seed < 50; seed++)
		part_find(seed);
}
END_TEST

struct deviating {
	uint64_t stepped, roomed;
};

static struct deviating deviating_run(uint64_t seed, bool rooms)
{
	static struct program program;

	program_open(&program, seed);
	program.rooms = rooms;
	program_stray(&program);
	program_close(&program);
	return (struct deviating){program.stepped, program.roomed};
}

START_TEST(no_byte_has_two_owners)
{
	uint64_t stepped = 0;

	for (uint64_t seed = 0; seed < 3000; seed++)
		stepped += deviating_run(seed, false).stepped;
	ck_assert_uint_gt(stepped, 3000); /* or this says little of them */
}
END_TEST

static void plans_open(struct program *program, uint64_t seed)
{
	program_open(program, seed);
	replay_name(program->replay, PLANS);
	for (uint32_t i = 0; i < PLANS - 1; i++) {
		struct cycle *cycle = &program->others[i].cycle;

		*cycle = cycle_drawn();
		program->others[i].replay =
			replay_open(cycle->slots, cycle->count, 1);
		ck_assert_ptr_nonnull(program->others[i].replay);
		replay_name(program->others[i].replay, i + 1);
	}
}

static void plan_change(struct program *program, uint32_t next)
{
	const uint32_t i = draw(PLANS - 1);
	struct cycle cycle = program->cycle;
	struct replay *replay = program->replay;

	run_look(program);
	program->cycle = program->others[i].cycle;
	program->replay = program->others[i].replay;
	program->others[i].cycle = cycle;
	program->others[i].replay = replay;
	replay_begin(program->replay, next % program->cycle.count);
	replay_past(program->replay, &program->arena);
}

/* So many requests of the present plan, of which hardly any deviates. late: how
 * many percent are freed late. */
static void plan_play(struct program *program, uint32_t next, uint32_t count,
		      uint32_t late)
{
	const struct cycle *cycle = &program->cycle;

	for (; count; next++, count--) {
		uint32_t at = next % cycle->count;

		program_step(program, late);
		if (!draw(100))
			continue;
		program_ask(program, cycle->slots[at].size, cycle->streams[at],
			    cycle->lives[at], 100);
	}
}

/* Returns how many requests took the short way where a plan began that had been
 * followed before. */
static uint64_t plans_run(uint64_t seed)
{
	static struct program program;
	uint64_t before, begun = 0;
	uint32_t next, count;

	plans_open(&program, seed);
	for (uint32_t i = 0; i < 30; i++) {
		next = draw(3) ? 0 : draw(SLOTS_MOST);
		plan_change(&program, next);
		next %= program.cycle.count;
		count = program.cycle.count - next;
		before = program.stepped;
		plan_play(&program, next, count, draw(2) ? 20 : 0);
		begun += program.stepped - before;
		plan_play(&program, 0, draw(2 * SLOTS_MOST), 0);
	}
	program_close(&program);
	return begun;
}

START_TEST(nor_if_several_plans_take_turns)
{
	uint64_t begun = 0;

	for (uint64_t seed = 0; seed < 1000; seed++)
		begun += plans_run(seed);

	ck_assert_uint_gt(begun, 10000);
}
END_TEST

START_TEST(nor_if_blocks_without_a_slot_are_placed)
{
	uint64_t roomed = 0;

	for (uint64_t seed = 0; seed < 3000; seed++)
		roomed += deviating_run(seed, true).roomed;
	ck_assert_uint_gt(roomed, 1000);
}
END_TEST

/* Only what was freed in that stream's order is ready; none: all is. */
static bool is_of_stream(const struct replay_free *freed, void *argument)
{
	const unsigned int *stream = argument;

	return !*stream || !freed->epoch || freed->stream == *stream;
}

/* One request of a cycle of three, each of which has the bytes of the one
 * before. */
static enum replay_answer third_ask(struct replay *replay, struct arena *arena,
				    uint32_t slot, uint64_t size,
				    unsigned int stream)
{
	const struct replay_slot *at = replay_slot_at(replay, slot);
	uint32_t token = size == at->size ? at->token : 99;
	enum replay_answer answer;

	ck_assert_uint_eq(replay_ask(replay, token, size), slot);
	answer = replay_look(replay, arena, slot, is_of_stream, &stream);
	if (answer != REPLAY_FREE)
		return answer;
	ck_assert(replay_take(replay, arena, slot, size, 0));
	replay_served(replay, true);
	return answer;
}

static void third_free(struct arena *arena, uint64_t epoch, unsigned int stream)
{
	arena_leave(arena, arena_find(arena, 0), epoch, stream, 0);
}

/* The first one's free is not over for the third one's stream. */
START_TEST(a_smaller_block_says_nothing_of_the_rest_of_its_place)
{
	const struct replay_slot slots[] = {{.token = 1, .size = 4 * unit},
					    {.token = 2, .size = 4 * unit},
					    {.token = 3, .size = 4 * unit}};
	struct replay *replay = replay_open(slots, 3, 1);
	struct arena arena = {.count = 0};

	ck_assert_ptr_nonnull(replay);
	replay_begin(replay, 0);
	for (uint32_t i = 0; i < 6; i++) {
		uint64_t size = i == 4 ? 3 * unit : 4 * unit;

		ck_assert_int_eq(
			third_ask(replay, &arena, i % 3, size, i == 5 ? 2 : 0),
			i == 5 ? REPLAY_EARLY : REPLAY_FREE);
		if (i < 5)
			third_free(&arena, i + 1, i == 4 ? 2 : 1);
	}
	replay_close(replay);
	arena_close(&arena);
}
END_TEST

static void gap_count(void *argument, uint64_t offset, uint64_t size)
{
	struct program *program = argument;

	for (uint64_t i = offset / unit; i < (offset + size) / unit; i++) {
		CLAIM(program, !program->owned[i]);
		program->owned[i] = true;
	}
}

static void gaps_look(uint64_t seed)
{
	static struct program program;

	program_open(&program, seed);
	program_turn(&program, 100);
	program_turn(&program, 100);
	program_turn(&program, 100);
	arena_gaps(&program.arena, UNITS * unit, gap_count, &program);
	for (int i = 0; i < UNITS; i++)
		CLAIM(&program, program.owned[i]);
	for (size_t i = 0; i < program.count; i++)
		if (program.blocks[i].placed)
			ck_assert(arena_find(&program.arena,
					     program.blocks[i].offset)
					  ->live);
	program_close(&program);
}

START_TEST(gaps_are_what_no_block_has)
{
	for (uint64_t seed = 0; seed < 20; seed++)
		gaps_look(seed);
}
END_TEST

/* Small slots, one beside the other, and as many that lie over all of them. */
static struct replay *replay_cut(uint32_t count)
{
	const size_t all = (size_t)2 * count;
	struct replay_slot *slots = calloc(all, sizeof(*slots));
	struct replay *replay;

	ck_assert_ptr_nonnull(slots);
	for (uint32_t i = 0; i < count; i++) {
		slots[i] = (struct replay_slot){
			.token = i, .size = unit, .offset = i * unit};
		slots[count + i] = (struct replay_slot){.token = count + i,
							.size = count * unit};
	}
	replay = replay_open(slots, all, 1);
	free(slots);
	return replay;
}

START_TEST(slots_that_would_take_for_ever_are_refused)
{
	struct replay *replay = replay_cut(1 << 10);

	ck_assert_ptr_nonnull(replay);
	replay_close(replay);
	ck_assert_ptr_null(replay_cut(1 << 16));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay");
	TCase *tests = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_test(tests, what_is_repeated_is_placed);
	tcase_add_test(tests, the_place_in_a_cycle_is_found);
	tcase_add_test(tests, the_place_in_a_part_that_repeats_is_found);
	tcase_add_test(tests, no_byte_has_two_owners);
	tcase_add_test(tests, nor_if_several_plans_take_turns);
	tcase_add_test(tests,
		       a_smaller_block_says_nothing_of_the_rest_of_its_place);
	tcase_add_test(tests, nor_if_blocks_without_a_slot_are_placed);
	tcase_add_test(tests, gaps_are_what_no_block_has);
	tcase_add_test(tests, slots_that_would_take_for_ever_are_refused);
	tcase_set_timeout(tests, 300); /* only a hang is so slow */
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
