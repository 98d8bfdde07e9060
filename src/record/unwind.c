#include "unwind.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "eh_modules.h"
#include "preload/syscall_filter.h"
#include "preload/thread.h"
#include "walk.h"

enum {
	STEPS_MOST = 256,
	RUNTIME_DEPTH = 16, /* frames of a runtime's own, at most */
	FORK_MS = 200,      /* that a fork waits at most */
};

/* Tells a signal handler that it has interrupted one who holds the loader's
 * lock and uses the modules. */
static atomic_flag busy = ATOMIC_FLAG_INIT;

struct search {
	struct walk walk;
	uint64_t from;
	uint64_t *frames;
	size_t count, most;
	const struct eh_module *interpreter; /* NULL: none is known */
	bool behind; /* ends with the first frame that is no runtime's */
};

static bool is_runtime(uint64_t pc)
{
	const struct eh_module *module = eh_modules_find(pc - 1);

	return module && module->is_runtime;
}

/* Behind the innermost trampoline, an interpreter's own functions are left out:
 * there are several for each function that it runs. */
static bool is_told(const struct search *search)
{
	uint64_t pc = search->walk.pc;

	if (!search->count)
		return pc == search->from;
	return !search->interpreter ||
	       eh_modules_find(pc - 1) != search->interpreter;
}

/* The loader's lock is held: nothing is unloaded meanwhile. */
static int stack_walk(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *search = arg;
	struct walk *walk = &search->walk;

	(void)size;
	if (atomic_flag_test_and_set(&busy))
		return 1;
	eh_modules_look(info);
	for (int i = 0; i < STEPS_MOST && search->count < search->most; i++) {
		if (is_told(search))
			search->frames[search->count++] = walk->pc;
		if (search->count && search->behind && !is_runtime(walk->pc))
			break;
		if (!walk_step(walk) || !walk->pc)
			break;
		if (walk->by_trampoline && search->count > 1)
			search->interpreter = walk->module;
	}
	atomic_flag_clear(&busy);
	return 1;
}

/* A child that is forked while a thread walks would have the loader's lock held
 * by nobody: so a fork waits for walks, and none begins meanwhile. */
static _Atomic unsigned int walking;
static _Atomic bool forking;
static __thread bool walks;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Not for ever: one who waits for the loader's lock, which the forking thread
 * has, never ends. */
static void fork_begins(void)
{
	int64_t until = now_ms() + FORK_MS;

	atomic_store(&forking, true);
	while (atomic_load(&walking) > walks && now_ms() <= until)
		sched_yield();
}

static void fork_ends(void)
{
	atomic_store(&forking, false);
}

/* The other threads are not there. */
static void fork_ends_in_child(void)
{
	atomic_store(&walking, walks);
	atomic_flag_clear(&busy);
	fork_ends();
}

static void guard_fork(void)
{
	pthread_atfork(fork_begins, fork_ends, fork_ends_in_child);
}

void unwind_guard_fork(void)
{
	static struct once once = ONCE_INIT;

	once_run(&once, guard_fork);
}

static void search_guarded(struct search *search)
{
	if (walks) /* a signal has come */
		return;
	walks = true;
	atomic_fetch_add(&walking, 1);
	if (!atomic_load(&forking))
		dl_iterate_phdr(stack_walk, search);
	atomic_fetch_sub(&walking, 1);
	walks = false;
}

READS_STACK size_t unwind(uint64_t from, uint64_t *frames, size_t most)
{
	uint8_t copy[WALK_COPY_SIZE];
	int saved = errno;
	struct search search = {
		.walk = {WALK_HERE, .rule_find = eh_modules_rule,
			 .copy = syscall_filter_kills() ? NULL : copy},
		.from = from,
		.frames = frames,
		.most = most};

	search_guarded(&search);
	errno = saved;
	return search.count;
}

READS_STACK uint64_t unwind_behind(uint64_t from)
{
	uint64_t frames[RUNTIME_DEPTH];
	uint8_t copy[WALK_COPY_SIZE];
	int saved = errno;
	struct search search = {
		.walk = {WALK_HERE, .rule_find = eh_modules_rule,
			 .copy = syscall_filter_kills() ? NULL : copy},
		.from = from,
		.frames = frames,
		.most = RUNTIME_DEPTH,
		.behind = true};

	search_guarded(&search);
	errno = saved;
	return search.count && search.count < RUNTIME_DEPTH
		       ? frames[search.count - 1]
		       : from;
}
