#include "races.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "race.h"
#include "schedule.h"
#include "ways.h"

#define LAZY_SEED "4" /* the simulation leaves work queued */

enum { LIMIT_SECONDS = 60 }; /* for one run; a longer one counts as a hang */

/* What a run reports to its parent. */
struct result {
	bool left[2], finished;
	unsigned long same[2]; /* ways_end() of a thread that was left */
	unsigned failures;
};

struct api race_api;

static const struct race *race;
static struct result *result;
static unsigned long places[2]; /* point where each is left; 0: none */
static __thread int own;        /* 0 for the first thread, 1 for the second */

void race_check(const char *entry, CUresult res)
{
	if (!res)
		return;
	fprintf(stderr, "%s returned %d\n", entry, (int)res);
	__atomic_add_fetch(&result->failures, 1, __ATOMIC_RELAXED);
}

void race_expect(const char *name, long is, long wanted)
{
	if (is == wanted)
		return;
	fprintf(stderr, "%s is %ld, not %ld\n", name, is, wanted);
	__atomic_add_fetch(&result->failures, 1, __ATOMIC_RELAXED);
}

void race_hold(void)
{
	schedule_hold(places[own]);
}

void race_pass(void)
{
	result->same[own] = ways_end(own);
	if (schedule_hold(0))
		result->left[own] = true;
}

static void *second_main(void *arg)
{
	own = 1;
	schedule_enter(1);
	race->second();
	return arg;
}

/* Runs the race in a process of its own. */
static void race_child(void)
{
	char devices[8];
	pthread_t second;

	alarm(LIMIT_SECONDS);
	snprintf(devices, sizeof(devices), "%d", race->devices);
	setenv("MNM_SIM_DEVICES", devices, 1);
	setenv("MNM_SIM_SEED", LAZY_SEED, 1);
	setenv("MNM_SIM_CHECK", "1", 1);
	setenv("MNM_SIM_CLOCK", "zero", 1);
	setenv("MNM_IDLE_LIMIT", "off", 1);
	setenv("MNM_DEVICE_IDLE", "0", 1);
	if (race->variable)
		setenv(race->variable, race->value, 1);
	schedule_open(1, 2);
	schedule_pace(0);
	if (!api_open(&race_api, DOOR_EXPORTS))
		return;
	race->before();
	schedule_start(1);
	pthread_create(&second, NULL, second_main, NULL);
	race->first();
	schedule_join(1);
	pthread_join(second, NULL);
	if (race->after)
		race->after();
	if (race_api.sim_violations)
		result->failures += (unsigned)race_api.sim_violations();
	result->finished = true;
}

/* Returns false if the run went wrong. */
static bool race_run(unsigned long first, unsigned long second)
{
	int status;
	pid_t pid;

	memset(result, 0, sizeof(*result));
	places[0] = first;
	places[1] = second;
	pid = fork();
	if (!pid) {
		race_child();
		_exit(EXIT_SUCCESS);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror("race");
		return false;
	}
	if (!status && result->finished && !result->failures)
		return true;
	printf("race \"%s\" FAILED with the threads left at points %lu and "
	       "%lu: status %#x, %u failures\n",
	       race->name, first, second, (unsigned)status, result->failures);
	return false;
}

/* Tries every way to leave the second thread while the first is left at one
 * point; *left: there is such a point, *same: at how many behind it all ways
 * are the same. Returns false if one went wrong. */
static bool row_search(unsigned long first, bool every, bool *left,
		       unsigned long *same, unsigned long *runs)
{
	unsigned long second = !!race->stride, skip;

	*left = false;
	*same = every ? 0 : ULONG_MAX;
	do {
		++*runs;
		if (!race_run(first, second))
			return false;
		*left = *left || result->left[0];
		if (*same > result->same[0])
			*same = result->same[0];
		skip = every ? 0 : result->same[1];
		if (race->stride)
			second += race->stride * (skip / race->stride + 1);
	} while (result->left[1]);
	return true;
}

/* Tries every way to leave the threads; *runs counts them. */
static bool race_search(bool every, unsigned long *runs)
{
	unsigned long first = 1, same;
	bool left;

	do {
		if (!row_search(first, every, &left, &same, runs))
			return false;
		first += same + 1;
	} while (left);
	return true;
}

/* Runs those of a table. `both` selects those that leave both threads, which
 * take long, or the others. *count counts the races. */
static bool table_run(const struct race *table, const struct races *races,
		      bool both, unsigned long *count)
{
	const char *name = races->name;
	unsigned long runs;
	bool good = true;

	for (race = table; race->name; race++) {
		if ((name && strcmp(name, race->name)) || !race->stride == both)
			continue;
		++*count;
		runs = 0;
		fflush(stdout);
		if (race_search(races->every, &runs))
			printf("race \"%s\": %lu ways, none went wrong\n",
			       race->name, runs);
		else
			good = false;
	}
	return good;
}

bool races_run(const struct races *races)
{
	unsigned long count = 0;
	bool good = true;

	result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (result == MAP_FAILED) {
		perror("races");
		return false;
	}
	for (int both = 0; both < 2; both++) {
		good = table_run(race_index, races, both, &count) && good;
		good = table_run(race_room, races, both, &count) && good;
		good = table_run(race_direct, races, both, &count) && good;
		good = table_run(race_caches, races, both, &count) && good;
		good = table_run(race_table, races, both, &count) && good;
		good = table_run(race_order, races, both, &count) && good;
		good = table_run(race_return, races, both, &count) && good;
		good = table_run(race_ends, races, both, &count) && good;
		good = table_run(race_streams, races, both, &count) && good;
		good = table_run(race_events, races, both, &count) && good;
		good = table_run(race_legacy, races, both, &count) && good;
		good = table_run(race_pools, races, both, &count) && good;
		good = table_run(race_regions, races, both, &count) && good;
	}
	if (!count)
		fprintf(stderr, "proof: no race \"%s\"\n", races->name);
	return good && count;
}
