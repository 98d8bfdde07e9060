#include "unwind.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "preload/thread.h"
#include "walk.h"

#define RUNTIME "libcudart"

enum {
	MODULES = 2048,
	STEPS_MOST = 256,
	RUNTIME_DEPTH = 16, /* frames of a runtime's own, at most */
};

/* The files that are loaded, by rising start, as of so many loads and unloads.
 * Those who hold the loader's lock use them; `busy` tells a signal handler that
 * it has interrupted one of them. */
static struct {
	struct eh_module list[MODULES];
	size_t count;
	unsigned long long adds, subs;
} modules;
static atomic_flag busy = ATOMIC_FLAG_INIT;

struct search {
	struct walk walk;
	uint64_t from;
	uint64_t *frames;
	size_t count, most;
	const struct eh_module *interpreter; /* NULL: none is known */
	bool behind; /* ends with the first frame that is no runtime's */
};

bool unwind_is_runtime(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, RUNTIME, sizeof(RUNTIME) - 1);
}

static int module_add(struct dl_phdr_info *info, size_t size, void *unused)
{
	const ElfW(Phdr) *table = NULL, *parts = info->dlpi_phdr;
	struct eh_module found = {.start = UINT64_MAX,
				  .is_runtime =
					  unwind_is_runtime(info->dlpi_name)};

	(void)size, (void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + parts[i].p_vaddr;

		if (parts[i].p_type == PT_GNU_EH_FRAME)
			table = &parts[i];
		if (parts[i].p_type != PT_LOAD || !(parts[i].p_flags & PF_X))
			continue;
		if (start < found.start)
			found.start = start;
		if (start + parts[i].p_memsz > found.end)
			found.end = start + parts[i].p_memsz;
	}
	for (int i = 0; table && i < info->dlpi_phnum; i++)
		if (parts[i].p_type == PT_LOAD && parts[i].p_flags & PF_R &&
		    table->p_vaddr - parts[i].p_vaddr < parts[i].p_memsz) {
			found.first = (const uint8_t *)(info->dlpi_addr +
							parts[i].p_vaddr);
			found.last = found.first + parts[i].p_memsz;
			found.table = (const uint8_t *)(info->dlpi_addr +
							table->p_vaddr);
		}
	if (found.table && found.end && modules.count < MODULES)
		modules.list[modules.count++] = found;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct eh_module *first = a, *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

/* Without memory, unlike qsort; they come nearly in order. */
static void modules_sort(void)
{
	for (size_t i = 1; i < modules.count; i++) {
		struct eh_module module = modules.list[i];
		size_t at = i;

		for (; at && by_start(&modules.list[at - 1], &module) > 0; at--)
			modules.list[at] = modules.list[at - 1];
		modules.list[at] = module;
	}
}

static void modules_look(const struct dl_phdr_info *info)
{
	if (modules.count && modules.adds == info->dlpi_adds &&
	    modules.subs == info->dlpi_subs)
		return;
	modules.count = 0;
	dl_iterate_phdr(module_add, NULL);
	modules_sort();
	modules.adds = info->dlpi_adds;
	modules.subs = info->dlpi_subs;
}

static const struct eh_module *module_find(uint64_t pc)
{
	size_t low = 0, high = modules.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (modules.list[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc < modules.list[low - 1].end ? &modules.list[low - 1]
						     : NULL;
}

static bool is_runtime(uint64_t pc)
{
	const struct eh_module *module = module_find(pc - 1);

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
	       module_find(pc - 1) != search->interpreter;
}

/* The loader's lock is held: nothing is unloaded meanwhile. */
static int stack_walk(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *search = arg;
	struct walk *walk = &search->walk;

	(void)size;
	if (atomic_flag_test_and_set(&busy))
		return 1;
	modules_look(info);
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

static void fork_begins(void)
{
	atomic_store(&forking, true);
	while (atomic_load(&walking) > walks)
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
	struct search search = {.walk = {WALK_HERE, .module_find = module_find},
				.from = from,
				.frames = frames,
				.most = most};
	int saved = errno;

	search_guarded(&search);
	errno = saved;
	return search.count;
}

READS_STACK uint64_t unwind_behind(uint64_t from)
{
	uint64_t frames[RUNTIME_DEPTH];
	struct search search = {.walk = {WALK_HERE, .module_find = module_find},
				.from = from,
				.frames = frames,
				.most = RUNTIME_DEPTH,
				.behind = true};
	int saved = errno;

	search_guarded(&search);
	errno = saved;
	return search.count && search.count < RUNTIME_DEPTH
		       ? frames[search.count - 1]
		       : from;
}
