/* Threads that share sizes, and one of them after the others have gone. */
#include <stdlib.h>

#include "fail.h"
#include "work.h"

enum { PAIRS = 256, LIVE = 4, SIZES = 4, PLAYS = 200 };

static const size_t small_sizes[SIZES] = {4 << 10, 64 << 10, 150 << 10,
					  300 << 10};
static const size_t large_sizes[SIZES] = {1 << 20, 3 << 19, 2 << 20, 3 << 20};

/* LIVE blocks are live at a time, of each size in turn. */
static void sizes_fill(struct script *script, const size_t *sizes)
{
	for (size_t i = 0; i < PAIRS; i += LIVE) {
		for (size_t j = 0; j < LIVE; j++)
			script_alloc(script, j, sizes[(i + j) % SIZES]);
		for (size_t j = 0; j < LIVE; j++)
			script_free(script, j, sizes[(i + j) % SIZES]);
	}
}

static void shared_fill(struct crew *crew, const char *what,
			const char *argument, const size_t *sizes)
{
	crew->count = (unsigned int)number_read(what, argument, WORKERS_MAX);
	crew->width =
		crew->count < crew->core_count ? crew->count : crew->core_count;
	crew->play = worker_play;
	for (unsigned int i = 0; i < crew->count; i++)
		sizes_fill(&crew->workers[i].timed, sizes);
}

void shared_build(struct crew *crew, const char *argument)
{
	shared_fill(crew, "shared", argument, small_sizes);
}

void shared_large_build(struct crew *crew, const char *argument)
{
	shared_fill(crew, "shared-large", argument, large_sizes);
}

/* Run by the threads that will have gone. */
static void *former_run(void *arg)
{
	const struct crew *crew = arg;
	void *blocks[LIVE];

	if (crew->who->enter && crew->who->enter())
		fail(crew->who->version, "can't be used on a second thread");
	for (int i = 0; i < PLAYS; i++)
		script_play(&crew->workers[0].timed, blocks, crew->who);
	return NULL;
}

static void former_threads(struct crew *crew)
{
	pthread_t threads[WORKERS_MAX];
	unsigned int count = crew->former;

	for (unsigned int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, former_run, crew))
			fail("threads", "no more can be started");
	former_run(crew);
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

void alone_build(struct crew *crew, const char *argument)
{
	crew->count = 1;
	crew->width = 1;
	crew->play = worker_play;
	crew->former =
		(unsigned int)number_read("alone", argument, WORKERS_MAX);
	crew->first = former_threads;
	sizes_fill(&crew->workers[0].timed, large_sizes);
}
