/* A launch begins on the caller's thread. If it is long, and its blocks are
 * apart, more and more threads help. */
#include "crew.h"

#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK = 1 << 20, /* operations of warps between calls of tick() */
	/* Operations of the first thread before it gets help. At twice as many
	 * there are twice as many threads, and so on: so making them takes less
	 * time than was spent already. */
	ALONE = 50000,
	TURN_SHIFT = 48,
	TURN_MOST = 0xffff,
};

struct ptx_helper {
	struct ptx_run run;
	struct ptx_host host;
	pthread_t thread;
};

/* Failures come in the order of turns, and in a turn in that of blocks. So the
 * one that is told does not depend on how fast the threads are. */
static uint64_t mark_of(uint64_t turn, uint64_t number)
{
	return (turn < TURN_MOST ? turn : TURN_MOST) << TURN_SHIFT | number;
}

bool ptx_crew_wants(const struct ptx_crew *crew, const struct ptx_block *block)
{
	return mark_of(block->turn, block->number) <
	       __atomic_load_n(&crew->failed, __ATOMIC_RELAXED);
}

uint64_t ptx_crew_left(const struct ptx_crew *crew)
{
	uint64_t next = __atomic_load_n(&crew->next, __ATOMIC_RELAXED);
	bool failed = mark_of(1, next) >=
		      __atomic_load_n(&crew->failed, __ATOMIC_RELAXED);

	return failed || next >= crew->count ? 0 : crew->count - next;
}

bool ptx_crew_take(struct ptx_crew *crew, uint64_t *number)
{
	if (!ptx_crew_left(crew))
		return false;
	*number = __atomic_fetch_add(&crew->next, 1, __ATOMIC_RELAXED);
	return *number < crew->count;
}

/* Where blocks may wait for each other, nothing goes on after a failure. */
static uint64_t failure_mark(const struct ptx_run *run,
			     const struct ptx_block *block)
{
	if (!block || !run->program->apart || run->result == PTX_STOPPED)
		return 0;
	return mark_of(block->turn, block->number);
}

void ptx_crew_fail(struct ptx_run *run, const struct ptx_block *block)
{
	struct ptx_crew *crew = run->crew;
	uint64_t mark = failure_mark(run, block);

	pthread_mutex_lock(&crew->lock);
	if (mark < crew->failed) {
		crew->result = run->result;
		*crew->error = run->error;
		__atomic_store_n(&crew->failed, mark, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&crew->lock);
	run->result = PTX_OK;
}

static void *helper_run(void *of)
{
	struct ptx_helper *helper = of;

	fesetenv(FE_DFL_ENV);
	ptx_blocks_run(&helper->run);
	return NULL;
}

/* A helper begins with what the first thread knows. */
static bool helper_make(struct ptx_run *run, struct ptx_helper *helper)
{
	size_t bytes = run->host->user_bytes;

	*helper = (struct ptx_helper){.run = *run, .host = *run->host};
	helper->run.host = &helper->host;
	helper->run.helps = true;
	helper->run.steps = helper->run.told = 0;
	helper->run.next_tick = TICK;
	helper->run.next_help = UINT64_MAX;
	if (bytes) {
		helper->host.user = malloc(bytes);
		if (!helper->host.user)
			return false;
		memcpy(helper->host.user, run->host->user, bytes);
	}
	if (!pthread_create(&helper->thread, NULL, helper_run, helper))
		return true;
	if (bytes)
		free(helper->host.user);
	return false;
}

/* Doubles the threads, as far as there are blocks for them. Signals are the
 * program's business. */
static void help_get(struct ptx_run *run)
{
	struct ptx_crew *crew = run->crew;
	unsigned int wanted = 2 * crew->helper_count + 1;
	uint64_t left = ptx_crew_left(crew);
	sigset_t all, old;

	run->next_help *= 2;
	if (wanted > crew->most - 1)
		wanted = crew->most - 1;
	if (wanted - crew->helper_count > left)
		wanted = crew->helper_count + (unsigned int)left;
	if (!crew->helpers)
		crew->helpers = calloc(crew->most - 1, sizeof(*crew->helpers));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (crew->helpers && crew->helper_count < wanted &&
	       helper_make(run, &crew->helpers[crew->helper_count]))
		crew->helper_count++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (crew->helper_count < wanted || wanted == crew->most - 1)
		run->next_help = UINT64_MAX;
}

static void tick(struct ptx_run *run)
{
	const struct ptx_host *host = run->host;
	struct ptx_crew *crew = run->crew;
	bool goes_on;

	pthread_mutex_lock(&crew->lock);
	crew->steps += run->steps - run->told;
	goes_on = !host->tick || host->tick(host->user, crew->steps);
	pthread_mutex_unlock(&crew->lock);
	run->told = run->steps;
	run->next_tick = run->steps + TICK;
	if (goes_on || run->result)
		return;
	run->result = PTX_STOPPED;
	run->error = (struct ptx_error){0, "stopped"};
}

void ptx_crew_look(struct ptx_run *run)
{
	if (run->steps >= run->next_tick)
		tick(run);
	if (run->steps >= run->next_help)
		help_get(run);
}

enum ptx_result ptx_crew_run(struct ptx_run *run, struct ptx_error *error)
{
	const unsigned int *grid = run->launch->grid;
	struct ptx_crew *crew = run->crew;

	*crew = (struct ptx_crew){
		.count = (uint64_t)grid[0] * grid[1] * grid[2],
		.failed = UINT64_MAX,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.error = error,
		.most = run->launch->threads,
	};
	if (crew->most > crew->count)
		crew->most = (unsigned int)crew->count;
	run->next_help =
		run->program->apart && crew->most > 1 ? ALONE : UINT64_MAX;
	ptx_blocks_run(run);
	for (unsigned int i = 0; i < crew->helper_count; i++) {
		pthread_join(crew->helpers[i].thread, NULL);
		if (run->host->user_bytes)
			free(crew->helpers[i].host.user);
	}
	free(crew->helpers);
	pthread_mutex_destroy(&crew->lock);
	return crew->result;
}
