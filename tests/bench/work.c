#include "work.h"

#include <stdio.h>
#include <string.h>

#include "fail.h"

enum {
	KIB = 1024,
	PAIRS = 256, /* for one size: the script stays in the cache */
	WINDOW = 16, /* blocks live at once */
	RANDOM_LIVE = 2000,
	RANDOM_SIZES = 512,
	RANDOM_STEP = 8 * KIB,
	RANDOM_PAIRS = 20000,
	SMALL = 512, /* sizes of `live` and `spread` are 1 to 8 times this */
	CHURNED = 1000,
	CHURN_PAIRS = 64000,
	LIVE_MAX = 10000000
};

static const size_t size_max = (size_t)1 << 40;

size_t number_read(const char *what, const char *text, size_t most)
{
	char *end = NULL, why[80];
	unsigned long long number = 0;

	if (text && *text >= '0' && *text <= '9')
		number = strtoull(text, &end, 10);
	if (end && !*end && number && number <= most)
		return (size_t)number;
	snprintf(why, sizeof(why), "not a whole number of 1 to %zu: %.20s",
		 most, text ? text : "(nothing)");
	fail(what, why);
}

void crew_alone(struct crew *crew)
{
	crew->count = 1;
	crew->width = 1;
	crew->play = worker_play;
}

static void one_build(struct crew *crew, const char *argument)
{
	size_t size = number_read("one", argument, size_max);

	crew_alone(crew);
	for (int i = 0; i < PAIRS; i++) {
		script_alloc(&crew->workers[0].timed, 0, size);
		script_free(&crew->workers[0].timed, 0, size);
	}
}

/* Frees the oldest of WINDOW blocks, and allocates a new one. */
static void window_fill(struct script *script, size_t size)
{
	for (size_t i = 0; i < PAIRS; i++) {
		if (i >= WINDOW)
			script_free(script, i % WINDOW, size);
		script_alloc(script, i % WINDOW, size);
	}
	for (size_t i = 0; i < WINDOW; i++)
		script_free(script, i, size);
}

static void window_build(struct crew *crew, const char *argument)
{
	size_t size = number_read("window", argument, size_max);

	crew_alone(crew);
	window_fill(&crew->workers[0].timed, size);
}

static void threads_build(struct crew *crew, const char *argument)
{
	crew->count =
		(unsigned int)number_read("threads", argument, WORKERS_MAX);
	crew->width =
		crew->count < crew->core_count ? crew->count : crew->core_count;
	crew->play = worker_play;
	for (unsigned int i = 0; i < crew->count; i++)
		window_fill(&crew->workers[i].timed, (i + 1) * 64 * KIB);
}

static void random_build(struct crew *crew, const char *argument)
{
	struct script *script = &crew->workers[0].timed;
	static size_t sizes[RANDOM_LIVE];
	uint32_t state = 1;

	if (argument)
		fail("random", "takes no argument");
	crew_alone(crew);
	for (size_t i = 0; i < RANDOM_PAIRS; i++) {
		size_t slot = i;

		if (i >= RANDOM_LIVE) {
			slot = draw(&state, RANDOM_LIVE);
			script_free(script, slot, sizes[slot]);
		}
		sizes[slot] =
			(draw(&state, RANDOM_SIZES) + 1) * (size_t)RANDOM_STEP;
		script_alloc(script, slot, sizes[slot]);
	}
	for (size_t i = 0; i < RANDOM_LIVE; i++)
		script_free(script, i, sizes[i]);
}

static size_t small_size(size_t slot)
{
	uint32_t state = (uint32_t)slot;

	return (draw(&state, 8) + 1) * (size_t)SMALL;
}

/* Frees WINDOW of the first `among` blocks and allocates them again, so that
 * the same blocks are live in the end. */
static void churn_fill(struct script *script, size_t among)
{
	uint32_t state = 1;

	for (int i = 0; i < CHURN_PAIRS / WINDOW; i++) {
		size_t first = draw(&state, (uint32_t)(among / WINDOW));
		size_t step = among / WINDOW;

		/* One block of each sixteenth is taken, so that none comes up
		 * twice. */
		for (size_t j = 0; j < WINDOW; j++)
			script_free(script, j * step + first,
				    small_size(j * step + first));
		for (size_t j = 0; j < WINDOW; j++)
			script_alloc(script, j * step + first,
				     small_size(j * step + first));
	}
}

static void live_fill(struct crew *crew, size_t count, size_t among)
{
	struct worker *worker = &crew->workers[0];

	if (count < WINDOW)
		fail("live", "16 blocks at least");
	crew_alone(crew);
	for (size_t i = 0; i < count; i++) {
		script_alloc(&worker->before, i, small_size(i));
		script_free(&worker->after, i, small_size(i));
	}
	churn_fill(&worker->timed, among < count ? among : count);
}

static void live_build(struct crew *crew, const char *argument)
{
	live_fill(crew, number_read("live", argument, LIVE_MAX), CHURNED);
}

static void spread_build(struct crew *crew, const char *argument)
{
	live_fill(crew, number_read("spread", argument, LIVE_MAX), LIVE_MAX);
}

const struct work works[] = {
	{"replay", "TRACE", "a training trace, from its start to its end",
	 replay_build},
	{"one", "BYTES", "a block of one size, freed at once", one_build},
	{"window", "BYTES", "16 live blocks of one size, the oldest is freed",
	 window_build},
	{"random", NULL, "2,000 live blocks of 512 sizes, any is freed",
	 random_build},
	{"threads", "NUMBER", "threads, each with a size of its own",
	 threads_build},
	{"shared", "NUMBER", "threads that share sizes of up to 300 KiB",
	 shared_build},
	{"shared-large", "NUMBER", "the same of 1 to 3 MiB",
	 shared_large_build},
	{"alone", "NUMBER",
	 "one thread, when so many that shared those have gone", alone_build},
	{"streams", "TRACE", "a training trace, each block in its stream",
	 streams_build},
	{"turns", "NUMBER",
	 "so many blocks of one stream, then of another, between events",
	 turns_build},
	{"cross", "NUMBER",
	 "so many blocks of a stream are freed in another, between events",
	 cross_build},
	{"handoff", NULL, "one thread allocates, another frees", handoff_build},
	{"live", "NUMBER", "so many small live blocks, work on 1,000 of them",
	 live_build},
	{"spread", "NUMBER", "so many small live blocks, work on all of them",
	 spread_build},
	{NULL, NULL, NULL, NULL},
};
