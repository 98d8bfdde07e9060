#include "crew.h"

#include <sched.h>
#include <time.h>

#include "fail.h"

enum { PLAYS_FIRST = 3, REPETITIONS_LEAST = 5 };

/* How long a repetition takes. That is long compared with the clock's own cost
 * and with the waking of a thread, and short compared with a slice of the
 * scheduler's. */
static const double alone_seconds = 0.001, crew_seconds = 0.02;

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void pin(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("--cores", "this process may not run on such a core");
}

void script_play(const struct script *script, void **blocks,
		 const struct contender *who)
{
	const struct op *op = script->ops, *end = op + script->count;

	for (; op < end; op++) {
		if (op->kind == OP_FREE) {
			who->free(blocks[op->slot], op->size);
			continue;
		}
		blocks[op->slot] = who->alloc(op->size);
		if (!blocks[op->slot])
			fail(who->version, "out of memory");
	}
}

void worker_play(struct worker *worker)
{
	script_play(&worker->timed, worker->blocks, worker->crew->who);
}

static void crew_meet(struct crew *crew, pthread_barrier_t *barrier)
{
	if (crew->count > 1)
		pthread_barrier_wait(barrier);
}

static void worker_start(struct worker *worker)
{
	struct crew *crew = worker->crew;
	size_t slots = worker->timed.slots;

	if (worker->index && crew->who->enter && crew->who->enter())
		fail(crew->who->version, "can't be used on a second thread");
	if (worker->before.slots > slots)
		slots = worker->before.slots;
	worker->blocks = calloc(slots + 1, sizeof(*worker->blocks));
	if (!worker->blocks)
		fail("blocks", "no memory on the host");
	pin(crew->cores[worker->index % crew->core_count]);
	script_play(&worker->before, worker->blocks, crew->who);
	crew_meet(crew, &crew->end);
}

static void worker_end(struct worker *worker)
{
	script_play(&worker->after, worker->blocks, worker->crew->who);
	free(worker->blocks);
}

static void *worker_run(void *arg)
{
	struct worker *worker = arg;
	struct crew *crew = worker->crew;

	worker_start(worker);
	for (;;) {
		crew_meet(crew, &crew->start);
		if (crew->over)
			break;
		for (unsigned long i = 0; i < crew->plays; i++)
			crew->play(worker);
		crew_meet(crew, &crew->end);
	}
	worker_end(worker);
	return NULL;
}

/* Returns the seconds of one repetition. */
static double crew_time(struct crew *crew)
{
	double start;

	crew_meet(crew, &crew->start);
	start = seconds_now();
	for (unsigned long i = 0; i < crew->plays; i++)
		crew->play(&crew->workers[0]);
	crew_meet(crew, &crew->end);
	return seconds_now() - start;
}

static void crew_repeat(struct crew *crew, double seconds)
{
	double pairs = (double)crew->pairs * (double)crew->plays;
	double end = seconds_now() + seconds;
	unsigned int count = 0;

	while (count < REPETITIONS_MAX &&
	       (count < REPETITIONS_LEAST || seconds_now() < end))
		crew->ns[count++] = crew_time(crew) * 1e9 * crew->width / pairs;
	crew->repetitions = count;
}

/* Plays until nothing is new, and finds out how long one play takes. */
static void crew_warm(struct crew *crew, double seconds)
{
	double least = crew->count > 1 ? crew_seconds : alone_seconds;
	double end = seconds_now() + seconds;
	double took, shortest = 1e9;

	crew->plays = PLAYS_FIRST;
	do {
		took = crew_time(crew) / (double)crew->plays;
		if (took < shortest)
			shortest = took;
	} while (seconds_now() < end);
	crew->plays = (unsigned long)(least / shortest) + 1;
}

static void crew_count(struct crew *crew, unsigned long plays)
{
	const struct contender *who = crew->who;
	unsigned long before = 0;
	double took;

	crew->plays = PLAYS_FIRST;
	crew_time(crew);
	crew->plays = plays;
	if (who->mallocs)
		before = who->mallocs();
	took = crew_time(crew);
	crew->ns[0] = took * 1e9 * crew->width /
		      ((double)crew->pairs * (double)plays);
	crew->repetitions = 1;
	if (who->mallocs)
		crew->mallocs = (double)(who->mallocs() - before) /
				((double)crew->pairs * (double)plays);
}

void crew_run(struct crew *crew, double seconds, unsigned long plays)
{
	crew->mallocs = -1;
	if (crew->first)
		crew->first(crew);
	pthread_barrier_init(&crew->start, NULL, crew->count);
	pthread_barrier_init(&crew->end, NULL, crew->count);
	for (unsigned int i = 1; i < crew->count; i++)
		if (pthread_create(&crew->workers[i].thread, NULL, worker_run,
				   &crew->workers[i]))
			fail("threads", "no more can be started");
	worker_start(&crew->workers[0]);
	if (plays) {
		crew_count(crew, plays);
	} else {
		crew_warm(crew, seconds / 4);
		crew_repeat(crew, seconds);
	}
	crew->over = 1;
	crew_meet(crew, &crew->start);
	worker_end(&crew->workers[0]);
	for (unsigned int i = 1; i < crew->count; i++)
		pthread_join(crew->workers[i].thread, NULL);
}

void crew_close(struct crew *crew)
{
	for (unsigned int i = 0; i < crew->count; i++) {
		script_close(&crew->workers[i].before);
		script_close(&crew->workers[i].timed);
		script_close(&crew->workers[i].after);
	}
	pthread_barrier_destroy(&crew->start);
	pthread_barrier_destroy(&crew->end);
}
