#include "iteration.h"

#include <pthread.h>
#include <regex.h>
#include <stdlib.h>

#include "common/file_stat.h"
#include "common/log.h"
#include "common/option.h"
#include "context/context.h"
#include "heap/noted.h"
#include "heap/planner.h"
#include "preload/loader.h"
#include "stats/counter.h"

static regex_t names;
static bool named;

/* Held while a name is looked at, and at a fork: the C library has a lock of
 * its own in the expression, which would stay held in the child for ever. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Whether the calling thread does so. A signal handler, or the program's own
 * malloc, may begin a range meanwhile. */
static __thread volatile bool looking;

static void names_hold(void)
{
	pthread_mutex_lock(&lock);
}

static void names_release(void)
{
	pthread_mutex_unlock(&lock);
}

/* A signal handler that forks may have interrupted a look of its thread, which
 * holds the lock and goes on in the child. */
static void fork_begins(void)
{
	if (!looking)
		names_hold();
}

static void fork_ends(void)
{
	if (!looking)
		names_release();
}

/* Whether NVTX loads this library. */
static bool is_injected(const char *own)
{
	const char *path = secure_getenv("NVTX_INJECTION64_PATH");
	struct stat injected, ours;

	return path && !file_stat(path, &injected, 0) &&
	       !file_stat(own, &ours, 0) && injected.st_dev == ours.st_dev &&
	       injected.st_ino == ours.st_ino;
}

void iterations_open(const char *option)
{
	const char *expression = option_ranges(option);
	Dl_info own;

	if (!expression)
		return;
	if (regcomp(&names, expression, REG_EXTENDED | REG_NOSUB)) {
		log_warn("iteration: no memory for it, so NVTX ranges begin "
			 "no iterations");
		return;
	}
	pthread_atfork(fork_begins, fork_ends, fork_ends);
	named = true;
	if (loader_address((const void *)iterations_open, &own) &&
	    !is_injected(own.dli_fname))
		log_warn("iteration: no NVTX range is heard of, as "
			 "NVTX_INJECTION64_PATH is not %s; mnm run sets it",
			 own.dli_fname);
}

void iteration_begin(void)
{
	/* Also of those that are not used yet: the first mark may come before
	 * the first request. */
	for (int i = 0; i < DEVICE_ALL; i++)
		counter_add(device_at(i), COUNTER_iterations, 1);
	planner_mark();
	noted_mark();
}

bool iterations_are_named(void)
{
	return named;
}

bool iteration_is_named(const char *range)
{
	bool matches;

	if (!named || looking)
		return false;
	looking = true;
	names_hold();
	matches = !regexec(&names, range, 0, NULL, 0);
	names_release();
	looking = false;
	return matches;
}
