/* periods [--marks] TRACE...: what the finder of periods makes of traces.
 *
 * Prints a row for each trace: after how many requests and in which iteration
 * each period was found, its length, what of the requests would then have been
 * foretold, the bytes that a plan of it needs at least, and what finding costs
 * a request, in nanoseconds of this thread's time beside a loop that only reads
 * the trace. With --marks, the finder is told where iterations begin. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trace/trace_file.h"
#include "plan/cycle.h"
#include "plan/replay.h"

enum {
	ROUNDED = 512,      /* to a multiple of it, as frameworks do */
	REQUESTS = 1 << 19, /* that the finder remembers */
	RUNS = 15,          /* of which the median is printed */
	MEDIAN = RUNS / 2,
	ITERATIONS = 4096, /* at most */
	MIB = 1024 * 1024,
};

struct iteration {
	size_t begin; /* event */
	uint64_t sum; /* of its requests, in order */
};

struct job {
	struct trace_file trace;
	struct iteration iterations[ITERATIONS];
	int count;
	uint64_t *serials; /* by the buffer's id */
	bool marks;
};

/* What a pool would have had of a period from the time on at which it was
 * found. */
struct plan_use {
	struct cycle cycle;
	struct replay *replay;    /* of requests without places, or NULL */
	uint64_t steady, planned; /* bytes */
};

static uint64_t rounded(uint64_t bytes)
{
	return (bytes + ROUNDED - 1) / ROUNDED * ROUNDED;
}

static void iterations_find(struct job *job)
{
	struct iteration *last = NULL;
	int number = -1;

	for (size_t i = 0; i < job->trace.count; i++) {
		const struct trace_event *event = &job->trace.events[i];

		if (event->kind == TRACE_MARK && event->iteration != number) {
			number = event->iteration;
			last = NULL;
			if (number >= 0 && job->count < ITERATIONS)
				last = &job->iterations[job->count++];
			if (last)
				last->begin = i;
		}
		if (last && event->kind == TRACE_MALLOC)
			last->sum = (last->sum + event->stream +
				     rounded(event->bytes)) *
				    UINT64_C(0x9e3779b97f4a7c15);
	}
}

/* Whether one of the iterations before `then` had the same requests. */
static bool is_steady(const struct job *job, int iteration, int then)
{
	for (int i = 0; i < then && iteration >= 0; i++)
		if (job->iterations[i].sum == job->iterations[iteration].sum)
			return true;
	return false;
}

static void use_close(struct plan_use *use)
{
	replay_close(use->replay);
	cycle_release(&use->cycle);
	memset(use, 0, sizeof(*use));
}

static struct replay *replay_of(const struct cycle *cycle)
{
	struct replay_slot *slots = calloc(cycle->count + 1, sizeof(*slots));
	struct replay *replay = NULL;

	for (size_t i = 0; slots && i < cycle->count; i++)
		slots[i].token = cycle->requests[i].token;
	if (slots && cycle->count)
		replay = replay_open(slots, cycle->count, 1);
	free(slots);
	return replay;
}

/* The first of the cycle's requests that comes so many requests after the
 * period's first one, or later. */
static uint32_t request_from(const struct cycle *cycle, uint64_t since)
{
	uint32_t request = 0;

	while (request < cycle->count &&
	       cycle->requests[request].at < since % cycle->length)
		request++;
	return request < cycle->count ? request : 0;
}

static void use_open(struct plan_use *use, const struct finder *finder)
{
	const struct history *history = finder_history(finder);
	const struct period *period = finder_period(finder);

	use_close(use);
	if (cycle_make(&use->cycle, history, period))
		use->replay = replay_of(&use->cycle);
	if (use->replay)
		replay_begin(use->replay,
			     request_from(&use->cycle,
					  history->count - period->first));
}

static void use_count(struct plan_use *use, uint32_t token, uint64_t size,
		      bool steady)
{
	uint32_t request;

	if (!use->replay)
		return;
	request = replay_ask(use->replay, token, size);
	replay_served(use->replay, false);
	if (!steady)
		return;
	use->steady += size;
	if (request != REPLAY_NONE &&
	    use->cycle.requests[request].place != CYCLE_NONE)
		use->planned += size;
}

static void row_print(const struct plan_use *use, const struct period *period,
		      int iteration)
{
	printf("  %8" PRIu64 " %5d %6" PRIu64 " %-6s %4u %9.1f %9.1f",
	       period->found, iteration, period->length,
	       period->exact ? "exact" : "rough", use->cycle.laps,
	       (double)use->cycle.peak / MIB,
	       (double)use->cycle.persistent / MIB);
	if (use->steady)
		printf(" %8.3f",
		       100.0 * (double)use->planned / (double)use->steady);
	else
		printf(" %8s", "-");
	printf(" %6.2f\n", use->cycle.bytes
				   ? 100.0 * (double)use->cycle.left_out /
					     (double)use->cycle.bytes
				   : 0);
}

/* Feeds the finder, and prints each period with what came of it before the next
 * one. */
static void periods_print(struct job *job)
{
	struct finder *finder = finder_open(REQUESTS);
	struct plan_use use = {.replay = NULL};
	struct period period = {.number = 0};
	int iteration = -1, found = -1;

	for (size_t i = 0; finder && i < job->trace.count; i++) {
		const struct trace_event *event = &job->trace.events[i];
		uint64_t size = rounded(event->bytes);
		uint32_t token = history_token(size, event->stream);

		if (iteration + 1 < job->count &&
		    job->iterations[iteration + 1].begin == i) {
			iteration++;
			if (job->marks)
				finder_mark(finder);
		}
		if (event->kind == TRACE_FREE)
			finder_free(finder, job->serials[event->id]);
		if (event->kind != TRACE_MALLOC)
			continue;
		use_count(&use, token, size, is_steady(job, iteration, found));
		job->serials[event->id] = finder_alloc(finder, token, size);
		if (finder_period(finder)->number == period.number)
			continue;
		if (period.number)
			row_print(&use, &period, found);
		period = *finder_period(finder);
		found = iteration;
		use_open(&use, finder);
	}
	if (period.number)
		row_print(&use, &period, found);
	use_close(&use);
	finder_close(finder);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Reads all events, and feeds them to a finder if there is one. */
static uint64_t events_read(struct job *job, struct finder *finder)
{
	uint64_t begin = now(), serial = 0;

	for (size_t i = 0; i < job->trace.count; i++) {
		const struct trace_event *event = &job->trace.events[i];
		uint64_t size = rounded(event->bytes);
		uint32_t token = history_token(size, event->stream);

		if (event->kind == TRACE_FREE) {
			serial = job->serials[event->id];
			if (finder)
				finder_free(finder, serial);
		}
		if (event->kind == TRACE_MALLOC)
			job->serials[event->id] =
				finder ? finder_alloc(finder, token, size)
				       : serial + token;
	}
	return now() - begin;
}

static int number_compare(const void *one, const void *two)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)two;

	return (a > b) - (a < b);
}

static void times_print(struct job *job)
{
	uint64_t fed[RUNS], read[RUNS];

	for (int i = 0; i < RUNS; i++) {
		struct finder *finder = finder_open(REQUESTS);

		if (!finder)
			return;
		read[i] = events_read(job, NULL);
		fed[i] = events_read(job, finder);
		finder_close(finder);
	}
	qsort(fed, RUNS, sizeof(*fed), number_compare);
	qsort(read, RUNS, sizeof(*read), number_compare);
	printf("%s: %" PRIu64 " requests, %.1f ns each to find, %.1f to read\n",
	       job->trace.name, job->trace.last_id,
	       ((double)fed[MEDIAN] - (double)read[MEDIAN]) /
		       (double)job->trace.last_id,
	       (double)read[MEDIAN] / (double)job->trace.last_id);
}

static int job_run(const char *path, bool marks)
{
	static struct job job;
	int res = -1;

	memset(&job, 0, sizeof(job));
	job.marks = marks;
	if (trace_open(&job.trace, path))
		return -1;
	job.serials = calloc(job.trace.last_id + 1, sizeof(*job.serials));
	if (job.serials) {
		iterations_find(&job);
		times_print(&job);
		periods_print(&job);
		res = 0;
	}
	free(job.serials);
	trace_close(&job.trace);
	return res;
}

int main(int argc, char **argv)
{
	bool marks = argc > 1 && !strcmp(argv[1], "--marks");
	int res = 0;

	if (argc < 2 + marks) {
		fprintf(stderr, "usage: periods [--marks] TRACE...\n");
		return EXIT_FAILURE;
	}
	printf("     found  iter length kind   laps  peak MiB  kept MiB planned%% "
	       "left%%\n");
	for (int i = 1 + marks; i < argc; i++)
		res |= job_run(argv[i], marks);
	return res ? EXIT_FAILURE : EXIT_SUCCESS;
}
