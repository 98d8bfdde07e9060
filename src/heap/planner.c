#include "planner.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "checked/checked.h"
#include "common/log.h"
#include "common/text.h"
#include "context/context.h"
#include "placed.h"
#include "plan/job.h"
#include "plan_source.h"
#include "pools/pool.h"
#include "pools/tstack_pool.h"
#include "preload/fd_table.h"
#include "preload/syscall_filter.h"
#include "preload/thread.h"
#include "stats/counter.h"
#include "tcache/tcache.h"

enum { STACK_SIZE = 4 << 20 }; /* the search goes deep */

static bool threads = true;
/* Whether a pool that plans has been asked, and whether one has rested since
 * the last look. Words that only become true, and one that only the control
 * thread clears: a late look does no harm. */
static bool any, rests;

struct planning {
	struct context *context; /* its record stays */
	struct pool *pool;
	struct plan_job *job;
	const struct mnm_pool_ops *ops; /* of the pool; they stay */
};

void planner_threads_set(bool set)
{
	threads = set;
}

void planner_source_set(const char *option)
{
	plan_source_set(option);
	tstack_pool_loads_set(plan_source_is_set());
}

/* The last thread of a process runs the program's exit handlers, and that has
 * to be one of the program's own. */
static bool is_over(void *unused)
{
	(void)unused;
	return thread_main_ended();
}

/* The pool itself, which may be behind checks, if it is one that plans; or
 * NULL. */
static struct mnm_pool *planning_pool(struct pool *pool)
{
	struct mnm_pool *view = checked_inner(&pool->view);

	return view && pool_is_tstack(view) ? view : NULL;
}

/* A plan that a file has: whether it serves. */
static void load_say(const struct plan_job *job)
{
	char path[PLAN_SOURCE_SIZE], plain[PLAN_SOURCE_SIZE];

	plan_source_path(job->device, path);
	text_plain(path, plain, sizeof(plain));
	if (job->wrong)
		log_warn("plan %s: %s; the pool learns without it", plain,
			 job->wrong);
	else
		log_info("plan of %zu requests: %llu bytes for %llu live, read "
			 "from %s",
			 job->cycle.count, (unsigned long long)job->peak,
			 (unsigned long long)job->bound, plain);
}

/* A line may have to wait, so no lock is held. */
static void plan_say(const struct plan_job *job)
{
	if (job->loads)
		load_say(job);
	else if (job->replay)
		log_info("plan of %zu requests: %llu bytes for %llu live, made "
			 "in %.3f s",
			 job->cycle.count, (unsigned long long)job->peak,
			 (unsigned long long)job->bound, job->took);
}

static void job_run(struct plan_job *job, bool (*stop)(void *argument))
{
	if (job->loads)
		plan_source_read(job);
	plan_job_run(job, stop);
	plan_say(job);
}

static void pool_planned(struct pool *pool, struct plan_job *job)
{
	tstack_pool_planned(planning_pool(pool), job);
}

/* A thread has the policy of the one that begins it. In real time it would keep
 * the program from its processor for as long as a search takes. */
static void job_run_aside(struct plan_job *job)
{
	const struct sched_param none = {0};
	struct sched_param before;
	int policy = sched_getscheduler(0);
	bool lower = (policy == SCHED_FIFO || policy == SCHED_RR) &&
		     !sched_getparam(0, &before) &&
		     !sched_setscheduler(0, SCHED_OTHER, &none);

	job_run(job, is_over);
	/* The program may wait for what comes now. */
	if (lower)
		sched_setscheduler(0, policy, &before);
}

static void *planning_run(void *arg)
{
	struct planning *planning = arg;
	struct context *context = planning->context;
	struct plan_job *job = planning->job;
	bool dropped;

	prctl(PR_SET_NAME, "mnm-planner");
	thread_detach();
	if (job->loads)
		fd_table_part_briefly();
	job_run_aside(job);
	pthread_mutex_lock(&context->lock);
	/* A pool that is switched off says nothing as it ends. */
	dropped = job->dropped || checked_is_off(planning->ops);
	if (!dropped)
		pool_planned(planning->pool, job);
	pthread_mutex_unlock(&context->lock);
	if (dropped)
		plan_job_close(job);
	free(planning);
	return NULL;
}

/* Where there is no thread, the pool learns on without a plan. None begins once
 * the program has a filter of system calls: its own threads have begun before
 * that, so it may kill for another one. */
static void job_begin(struct pool *pool, struct plan_job *job)
{
	struct planning *planning = malloc(sizeof(*planning));
	int saved = errno; /* the program's: its call did not fail */
	pthread_t thread;

	if (planning)
		*planning = (struct planning){pool->heap->context, pool, job,
					      pool->view.ops};
	if (!planning || syscall_filter_is_own() ||
	    thread_start(planning_run, planning, STACK_SIZE, &thread)) {
		free(planning);
		pool_planned(pool, job);
	}
	errno = saved;
}

/* These take no step that other threads could wait for. */
__attribute__((no_sanitize("thread"))) static void pool_note(
	const struct mnm_pool *view)
{
	any = true;
	if (tstack_pool_rests(view))
		rests = true;
}

__attribute__((no_sanitize("thread"))) static bool any_plans(void)
{
	return any;
}

__attribute__((no_sanitize("thread"))) static bool any_rests(void)
{
	bool was = rests;

	rests = false;
	return was;
}

/* Pages that the pool does not need go back to the driver. */
static void pool_shed(struct pool *pool, size_t bytes)
{
	if (bytes && placed_trim(pool, bytes))
		atomic_store(&pool->heap->device->pending, true);
}

void planner_look(struct pool *pool)
{
	struct mnm_pool *view = planning_pool(pool);
	struct plan_job *job = view ? tstack_pool_job(view) : NULL;
	int saved;

	if (view) {
		pool_note(view);
		pool_shed(pool, tstack_pool_sheds(view));
	}
	if (!job)
		return;
	job->device = (unsigned int)device_ordinal(pool->heap->device);
	if (threads) {
		job_begin(pool, job);
		return;
	}
	saved = errno; /* the program's: its call did not fail */
	job_run(job, NULL);
	pool_planned(pool, job);
	errno = saved;
}

static void heap_tick(struct heap *heap, void *unused)
{
	struct pool *pool = heap->pools;
	struct mnm_pool *view = NULL;

	(void)unused;
	if (pool && !pool->retired)
		view = planning_pool(pool);
	if (!view)
		return;
	if (tstack_pool_tick(view, counter_get(heap->device, COUNTER_hits)))
		tcaches_flush(heap);
	pool_note(view); /* it may be asked nothing while it rests */
}

void planner_tick(void)
{
	static time_t last;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (last && now.tv_sec != last && any_rests())
		heaps_each(heap_tick, NULL);
	last = now.tv_sec;
}

static void heap_mark(struct heap *heap, void *unused)
{
	struct pool *pool = heap->pools;
	struct mnm_pool *view = NULL;

	(void)unused;
	if (pool && !pool->retired)
		view = planning_pool(pool);
	if (view)
		tstack_pool_mark(view);
}

void planner_mark(void)
{
	if (any_plans())
		heaps_each(heap_mark, NULL);
}

struct sum {
	const struct device *device;
	struct tstack_figures *figures;
	bool any;
};

static void figures_add(struct tstack_figures *sum,
			const struct tstack_figures *more)
{
	sum->arena_bytes += more->arena_bytes;
	sum->arena_live += more->arena_live;
	sum->plans += more->plans;
	sum->templates += more->templates;
	sum->loads += more->loads;
	sum->asked_bytes += more->asked_bytes;
	sum->placed_bytes += more->placed_bytes;
	sum->steps += more->steps;
	sum->deviations += more->deviations;
	sum->blocked += more->blocked;
	if (sum->period && !more->period)
		return;
	sum->state = more->state;
	sum->period = more->period;
	sum->peak = more->peak;
	sum->bound = more->bound;
	sum->plan_us = more->plan_us;
}

static void heap_sum(struct heap *heap, void *arg)
{
	struct pool *pool = heap->pools;
	struct mnm_pool *view = NULL;
	struct tstack_figures figures;
	struct sum *sum = arg;

	if (heap->device == sum->device && pool && !pool->retired)
		view = planning_pool(pool);
	if (!view)
		return;
	figures = tstack_pool_figures(view);
	figures_add(sum->figures, &figures);
	sum->any = true;
}

bool planner_figures(const struct device *device,
		     struct tstack_figures *figures)
{
	struct sum sum = {.device = device, .figures = figures};

	*figures = (struct tstack_figures){0};
	if (any_plans())
		heaps_each(heap_sum, &sum);
	return sum.any;
}

struct copy {
	const struct device *device;
	unsigned char *bytes; /* NULL: none was found, or there was no memory */
	size_t size;
	uint64_t peak;
	bool found;
};

static void heap_copy(struct heap *heap, void *arg)
{
	struct pool *pool = heap->pools;
	struct mnm_pool *view = NULL;
	const unsigned char *bytes = NULL;
	struct copy *copy = arg;
	uint64_t peak;
	size_t size;

	if (heap->device == copy->device && pool && !pool->retired)
		view = planning_pool(pool);
	if (view)
		bytes = tstack_pool_file(view, &size);
	if (!bytes)
		return;
	peak = tstack_pool_figures(view).peak;
	if (copy->found && peak <= copy->peak)
		return;
	free(copy->bytes);
	copy->found = true;
	copy->peak = peak;
	copy->size = size;
	copy->bytes = malloc(size);
	if (copy->bytes)
		memcpy(copy->bytes, bytes, size);
}

bool planner_file(const struct device *device, unsigned char **bytes,
		  size_t *size)
{
	struct copy copy = {.device = device};

	if (any_plans())
		heaps_each(heap_copy, &copy);
	*bytes = copy.bytes;
	*size = copy.size;
	return copy.found;
}
