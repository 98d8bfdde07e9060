#include "plan/exact.h"

#include <string.h>

enum {
	STEPS_BETWEEN_LOOKS = 128, /* at the clock */
	/* A start that has led to nothing after so many steps, and some for
	 * each buffer, or a multiple of that, is given up. */
	START_STEPS = 200,
	/* Most plans are found by a start of few such units, and most of the
	 * steps are spent on these. Some starts are longer and longer, as else
	 * nothing could be shown to be impossible. */
	SHORT_MOST = 4,
	LONG_SHARE = 4, /* one of so many steps */
	TRIALS = 8, /* starts of each rule, before the better one is known */
	OTHER = 8,  /* one of so many starts is by the worse rule, then */
};

/* In the order of the buffers. What is best differs by rule: with 0.3, by
 * slack, MiniMalloc's J took half again as many steps; with 0.08, by count, its
 * D took many more. */
#define LEAST_NOISE 0.02
static const double most_noise[EXACT_RULES] = {
	[EXACT_BY_COUNT] = 0.3,
	[EXACT_BY_SLACK] = 0.08,
};

static bool solve_parts(struct exact *exact, struct stretch within,
			uint64_t skew);

static uint64_t *failure_of(const struct exact *exact, uint64_t state)
{
	return &exact->failures[state % EXACT_FAILURES];
}

/* The candidates and the room of some sections, on the stack of copies. */
static void save(const struct exact *exact, int32_t *saved)
{
	struct stretch within = exact->within;
	size_t length = within.to - within.from;

	memcpy(saved, exact->candidates + within.from, length * sizeof *saved);
	memcpy(saved + length, exact->room + within.from,
	       length * sizeof *saved);
}

static void restore(struct exact *exact, const int32_t *saved)
{
	struct stretch within = exact->within;
	size_t length = within.to - within.from;

	memcpy(exact->candidates + within.from, saved, length * sizeof *saved);
	memcpy(exact->room + within.from, saved + length,
	       length * sizeof *saved);
}

static bool may_go_on(struct exact *exact)
{
	exact->nodes++;
	if (exact->nodes >= exact->node_limit ||
	    (exact->nodes % STEPS_BETWEEN_LOOKS == 0 &&
	     watch_is_over(exact->watch)))
		exact->stopped = true;
	return !exact->stopped;
}

/* Whether a buffer that was placed may have been the last that held two parts
 * of the time together. */
static bool may_split(const struct exact *exact, uint32_t at)
{
	struct stretch lives = exact->buffers[at].lives[0];

	if (exact->wrapping)
		return false;
	if (exact->buffers[at].lives[1].to)
		return true;
	if (exact->candidates[lives.from] >= section_empty)
		return true;
	for (uint32_t s = lives.from + 1; s < lives.to; s++)
		if (!exact->crossing[s])
			return true;
	return false;
}

/* Places all that is not placed and lives in these sections, if it can. If it
 * cannot, the caller takes back what has changed. The hash plus the skew names
 * the state of these buffers alone. */
static bool solve(struct exact *exact, struct stretch within, uint64_t skew)
{
	size_t length = 2 * (size_t)(within.to - within.from);
	int32_t *saved = exact->saved + exact->saved_count;
	uint64_t first = exact->hash + skew;
	bool solved = false;

	exact->within = within;
	exact->saved_count += length;
	save(exact, saved);
	while (may_go_on(exact)) {
		size_t changes = exact->change_count;
		uint32_t waiting = exact->waiting_count, at;
		uint64_t state = exact->hash + skew;

		if (*failure_of(exact, state) == state)
			break;
		at = exact_choose(exact);
		solved = at == exact_none;
		if (solved)
			break;
		if (exact_place(exact, at)) {
			solved = may_split(exact, at)
					 ? solve_parts(exact, within, skew)
					 : solve(exact, within, skew);
			if (solved || exact->stopped)
				break;
			exact->within = within;
		}
		exact_undo(exact, changes, waiting);
		restore(exact, saved);
		if (!exact_refuse(exact, at))
			break;
		save(exact, saved);
	}
	if (!solved && !exact->stopped)
		*failure_of(exact, first) = first;
	exact->saved_count -= length;
	return solved;
}

/* The next sections from from on that some buffers hold together. */
static struct stretch find_part(const struct exact *exact, uint32_t from,
				uint32_t end)
{
	struct stretch part;

	while (from < end && exact->candidates[from] >= section_empty)
		from++;
	part.from = part.to = from;
	if (from < end)
		part.to++;
	while (part.to < end && exact->crossing[part.to])
		part.to++;
	return part;
}

static uint64_t hash_of(const struct exact *exact, struct stretch part)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < exact->count; i++) {
		const struct exact_buffer *buffer = &exact->buffers[i];

		if (buffer->lives[0].from >= part.from &&
		    buffer->lives[0].to <= part.to)
			hash += buffer->hash;
	}
	return hash;
}

/* Each part is solved once: what the others do does not matter to it. The
 * longest comes first, as it is the likeliest to fail. */
static bool solve_parts(struct exact *exact, struct stretch within,
			uint64_t skew)
{
	int32_t *parts = exact->saved + exact->saved_count;
	uint64_t own = (uint64_t)exact->capacity << 32;
	struct stretch part;
	size_t count = 0;
	bool solved = true;

	for (uint32_t from = within.from; from < within.to; from = part.to) {
		part = find_part(exact, from, within.to);
		if (part.from == part.to)
			break;
		parts[count++] = (int32_t)part.from;
		parts[count++] = (int32_t)part.to;
	}
	if (count == 2)
		return solve(exact, (struct stretch){parts[0], parts[1]}, skew);
	exact->saved_count += count;
	for (size_t left = count; left && solved; left -= 2) {
		size_t longest = 0;

		for (size_t i = 2; i < left; i += 2)
			if (parts[i + 1] - parts[i] >
			    parts[longest + 1] - parts[longest])
				longest = i;
		part.from = (uint32_t)parts[longest];
		part.to = (uint32_t)parts[longest + 1];
		parts[longest] = parts[left - 2];
		parts[longest + 1] = parts[left - 1];
		skew = own + hash_of(exact, part) - exact->hash;
		solved = solve(exact, part, skew);
	}
	exact->saved_count -= count;
	return solved;
}

/* Which plans are looked at first: those with long lives at the bottom, more or
 * less. */
static void set_keys(struct exact *exact)
{
	const struct shape *shape = exact->shape;
	double noise = random_between(&exact->random, LEAST_NOISE,
				      most_noise[exact->rule]);

	for (uint32_t i = 0; i < exact->count; i++) {
		double life = shape->to[i] - shape->from[i];

		exact->keys[i] =
			(float)(life * random_between(&exact->random, 1 - noise,
						      1 + noise));
	}
}

/* The sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... of Luby, Sinclair and
 * Zuckerman (1993), which loses little whatever the best length is. */
static uint64_t luby(uint64_t i)
{
	uint64_t power = 1;

	while (2 * power - 1 < i)
		power *= 2;
	while (2 * power - 1 != i) {
		i -= power - 1;
		for (power = 1; 2 * power - 1 < i;)
			power *= 2;
	}
	return power;
}

/* By turns, and then the one mostly whose starts had fewer buffers left. */
static enum exact_rule choose_rule(const struct exact *exact)
{
	const uint64_t *starts = exact->starts_by, *left = exact->left_by;
	uint64_t sum = starts[EXACT_BY_COUNT] + starts[EXACT_BY_SLACK];
	bool slack;

	if (sum < (uint64_t)EXACT_RULES * TRIALS)
		return sum % 2 ? EXACT_BY_COUNT : EXACT_BY_SLACK;
	slack = (double)left[EXACT_BY_SLACK] / (double)starts[EXACT_BY_SLACK] <
		(double)left[EXACT_BY_COUNT] / (double)starts[EXACT_BY_COUNT];
	return slack == (sum % OTHER != 0) ? EXACT_BY_SLACK : EXACT_BY_COUNT;
}

static void note_start(struct exact *exact)
{
	exact->starts_by[exact->rule]++;
	exact->left_by[exact->rule] += exact->least_left;
}

/* How long the starts of a run are. */
struct lengths {
	uint64_t unit;
	uint64_t shorts, longs; /* how many there were */
	uint64_t long_steps;    /* of the long ones */
};

static uint64_t next_length(struct lengths *lengths, uint64_t steps)
{
	uint64_t times;

	if (lengths->long_steps <= steps / LONG_SHARE) {
		times = luby(++lengths->longs);
		lengths->long_steps += times * lengths->unit;
	} else {
		times = luby(++lengths->shorts);
		times = times < SHORT_MOST ? times : SHORT_MOST;
	}
	return times * lengths->unit;
}

static void take_offsets(const struct exact *exact, int64_t *offsets)
{
	for (uint32_t i = 0; i < exact->count; i++)
		offsets[i] = (int64_t)exact->buffers[i].offset *
			     (int64_t)exact->unit;
}

/* Whether the sizes alone fit the capacity. */
static bool loads_fit(const struct exact *exact)
{
	for (uint32_t s = 0; s < exact->sections; s++)
		if (exact->load[s] > exact->capacity)
			return false;
	return true;
}

enum exact_answer exact_run(struct exact *exact, int64_t capacity,
			    uint64_t steps, int64_t *offsets)
{
	struct lengths lengths = {.unit = START_STEPS + exact->count +
					  exact->count / 2};
	struct stretch all = {0, exact->sections};

	capacity /= (int64_t)exact->unit;
	exact->capacity =
		capacity < EXACT_LARGEST ? (int32_t)capacity : EXACT_LARGEST;
	if (!loads_fit(exact))
		return exact->unit == 1 ? EXACT_IMPOSSIBLE : EXACT_UNDECIDED;
	exact->nodes = 0;
	while (exact->nodes < steps) {
		uint64_t skew = (uint64_t)exact->capacity << 32;

		exact_reset(exact);
		exact->rule = choose_rule(exact);
		set_keys(exact);
		exact->stopped = false;
		exact->node_limit =
			exact->nodes + next_length(&lengths, exact->nodes);
		if (exact->node_limit > steps)
			exact->node_limit = steps;
		if (exact->wrapping ? solve(exact, all, skew)
				    : solve_parts(exact, all, skew)) {
			take_offsets(exact, offsets);
			return EXACT_FOUND;
		}
		if (!exact->stopped)
			return exact->unit == 1 ? EXACT_IMPOSSIBLE
						: EXACT_UNDECIDED;
		note_start(exact);
		if (watch_is_over(exact->watch))
			break;
	}
	return EXACT_UNDECIDED;
}
