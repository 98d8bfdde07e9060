#include "player.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/cli.h"

enum { STEPS = 4096 }; /* that are read at once */

struct player {
	struct player_start start;
	struct player_result *result;
	struct stage stage;
	uint64_t marks, requests;
	uint64_t paced; /* requests before the present iteration or half */
	double *paces;  /* ns of a pair, of each iteration of the half */
	size_t pace_count;
};

static bool fail(struct player *player, const char *what)
{
	snprintf(player->result->what, STAGE_WHAT, "%s", what);
	player->result->state = PLAYER_FAILED;
	return false;
}

/* If not, the stage says why. */
static bool went(struct player *player, bool well)
{
	return well || fail(player, player->stage.what);
}

static uint64_t driver_calls(const struct player *player)
{
	uint64_t calls = 0;

	for (int i = 0; i < player->stage.devices; i++) {
		struct mnm_stats stats = {.size = sizeof(stats)};

		if (!mnm_device_stats(i, &stats))
			calls += stats.driver_allocs + stats.driver_frees;
	}
	return calls;
}

/* Begins the half (0), or ends it (1). */
static bool half_turn(struct player *player, int moment)
{
	struct player_half *half = &player->result->half;

	half->driver_calls = driver_calls(player) - half->driver_calls;
	half->requests = player->requests - half->requests;
	return went(player, stage_note(&player->stage, moment));
}

/* Ends what has begun; returns how long a request and its free took in it. */
static double pace_turn(struct player *player)
{
	uint64_t requests = player->requests - player->paced;
	uint64_t ns = player->stage.calls_ns;

	player->paced = player->requests;
	player->stage.calls_ns = 0;
	return requests ? (double)ns / (double)requests : 0;
}

/* An iteration of the half has ended. */
static bool pace_add(struct player *player)
{
	double *more = realloc(player->paces,
			       (player->pace_count + 1) * sizeof(*more));

	if (!more)
		return fail(player, "no memory");
	player->paces = more;
	more[player->pace_count++] = pace_turn(player);
	return true;
}

static int pace_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void pace_end(struct player *player)
{
	double *pace = &player->result->half.ns_a_pair;

	if (!player->pace_count) {
		*pace = pace_turn(player);
		return;
	}
	qsort(player->paces, player->pace_count, sizeof(*player->paces),
	      pace_order);
	*pace = player->paces[(player->pace_count - 1) / 2];
}

static bool mark(struct player *player)
{
	uint64_t number = player->marks++, last = player->start.marks - 1;

	if (number && !went(player, stage_wait(&player->stage)))
		return false;
	if (player->start.marks_told)
		mnm_mark_iteration();
	if (player->start.marks < 2)
		return true;
	if (number > last / 2 && !pace_add(player))
		return false;
	if (number == last / 2) {
		pace_turn(player);
		return half_turn(player, 0);
	}
	if (number != last)
		return true;
	player->result->half.iterations = last - last / 2;
	return half_turn(player, 1);
}

static bool request_count(struct player *player)
{
	uint64_t number = player->requests++;

	if (player->start.marks >= 2 || number != player->start.requests / 2)
		return true;
	pace_turn(player);
	return half_turn(player, 0);
}

static bool step_play(struct player *player, const struct script_step *step)
{
	struct player_result *result = player->result;

	if (step->kind == SCRIPT_MARK)
		return mark(player);
	if (step->kind == SCRIPT_ALLOC && !request_count(player))
		return false;
	if (stage_play(&player->stage, step))
		return true;
	if (!player->stage.is_full)
		return went(player, false);
	result->full_request = player->requests;
	result->full_iteration = player->marks;
	result->full_bytes = step->bytes;
	result->state = PLAYER_IS_FULL;
	return false;
}

static bool slots_make(struct player *player, const struct script_step *steps,
		       size_t count)
{
	size_t slots = 0;

	for (size_t i = 0; i < count; i++)
		if (steps[i].slot >= slots)
			slots = (size_t)steps[i].slot + 1;
	return went(player, stage_make_slots(&player->stage, slots));
}

static void figures_write(struct player *player)
{
	struct mnm_stats *stats = player->result->devices;

	for (int i = 0; i < player->stage.devices; i++) {
		stats[i].size = sizeof(*stats);
		mnm_device_stats(i, &stats[i]);
	}
}

static bool steps_play(struct player *player, const struct script_step *steps,
		       size_t count)
{
	size_t i = 0;

	if (!slots_make(player, steps, count))
		return false;
	while (i < count && step_play(player, &steps[i]))
		i++;
	figures_write(player);
	player->result->steps += i;
	return i == count;
}

/* Reads up to size bytes: at least one, or 0 at the end; -1: an error. */
static ssize_t bytes_read(void *to, size_t size)
{
	ssize_t got;

	do
		got = read(PLAYER_STEPS, to, size);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Reads what there is, as steps may come one by one. Returns how many they are,
 * 0 at the end; -1: they break off, or can't be read. */
static ssize_t steps_read(struct script_step *steps)
{
	ssize_t got = bytes_read(steps, STEPS * sizeof(*steps)), more;

	while (got > 0 && (size_t)got % sizeof(*steps)) {
		more = bytes_read((char *)steps + got,
				  sizeof(*steps) -
					  (size_t)got % sizeof(*steps));
		if (more <= 0)
			return -1;
		got += more;
	}
	return got > 0 ? got / (ssize_t)sizeof(*steps) : got;
}

static bool play(struct player *player)
{
	static struct script_step steps[STEPS];
	ssize_t count;

	if (bytes_read(&player->start, sizeof(player->start)) !=
	    (ssize_t)sizeof(player->start))
		return fail(player, "its steps can't be read");
	if (!mnm_version())
		return fail(player, "libmnm.so is not loaded");
	if (!went(player,
		  stage_open(&player->stage, (int)player->start.devices)))
		return false;
	while ((count = steps_read(steps)) > 0)
		if (!steps_play(player, steps, (size_t)count))
			return false;
	if (count)
		return fail(player, "its steps break off");
	if (!player->requests)
		return true;
	pace_end(player);
	if (player->start.marks < 2 && !half_turn(player, 1))
		return false;
	return went(player, stage_between(&player->stage,
					  &player->result->half.sim_ns));
}

int player_play(void)
{
	static struct player player;
	void *map = mmap(NULL, sizeof(*player.result), PROT_READ | PROT_WRITE,
			 MAP_SHARED, PLAYER_RESULT, 0);

	if (map == MAP_FAILED)
		return failure("--play is for mnm replay itself");
	player.result = map;
	if (play(&player))
		player.result->state = PLAYER_HAS_PLAYED;
	return EXIT_DONE;
}
