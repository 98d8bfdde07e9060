#include "unwind.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "eh_frame.h"
#include "preload/thread.h"

#define RUNTIME "libcudart"

enum {
	MODULES = 2048,
	STEPS_MOST = 256,
	RUNTIME_DEPTH = 16,   /* frames of a runtime's own, at most */
	PAGE = 4096,          /* or a part of one */
	FRAME_MOST = 1 << 24, /* bytes of a frame that is believed */
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

struct walk {
	uint64_t pc, stack, frame; /* registers of the function at hand */
	uint64_t page;             /* is known to be readable */
	uint64_t from;
	uint64_t *frames;
	size_t count, most;
	bool behind; /* ends with the first frame that is no runtime's */
};

static bool is_of_runtime(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, RUNTIME, sizeof(RUNTIME) - 1);
}

static int module_add(struct dl_phdr_info *info, size_t size, void *unused)
{
	const ElfW(Phdr) *table = NULL, *parts = info->dlpi_phdr;
	struct eh_module found = {.start = UINT64_MAX,
				  .is_runtime = is_of_runtime(info->dlpi_name)};

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

/* Whether the word can be read: the kernel reads it before it sees that it is
 * asked for nothing. */
static bool is_readable(uint64_t address)
{
	return syscall(SYS_rt_sigprocmask, ~0L, address, NULL, 8L) &&
	       errno != EFAULT;
}

/* A wrong step may lead anywhere. What is read is others' memory on the stack.
 */
__attribute__((no_sanitize("address", "thread"))) static bool word_read(
	struct walk *walk, uint64_t address, uint64_t *word)
{
	if (address % sizeof(*word))
		return false;
	if (walk->page != address / PAGE && !is_readable(address))
		return false;
	walk->page = address / PAGE;
	*word = *(const uint64_t *)address;
	return true;
}

static uint64_t code_address(uint64_t word)
{
#ifdef __aarch64__
	word &= (UINT64_C(1) << 48) - 1; /* without its signature */
#endif
	return word;
}

static bool step_by_rule(struct walk *walk, const struct eh_rule *rule)
{
	uint64_t stack =
		(rule->base == REGISTER_FRAME ? walk->frame : walk->stack) +
		(uint64_t)rule->offset;
	uint64_t frame = walk->frame, pc;

	if (rule->is_last || !rule->return_is_saved ||
	    (rule->indirect && !word_read(walk, stack, &stack)) ||
	    stack <= walk->stack || stack - walk->stack > FRAME_MOST)
		return false;
	if ((rule->frame_is_saved &&
	     !word_read(walk,
			(rule->by_itself ? walk->frame : stack) +
				(uint64_t)rule->frame_at,
			&frame)) ||
	    !word_read(walk, stack + (uint64_t)rule->return_at, &pc))
		return false;
	walk->pc = code_address(pc);
	walk->stack = stack;
	walk->frame = frame;
	return true;
}

/* Code that was made as the program runs has a frame, or ends the walk. */
static bool step_by_frame(struct walk *walk)
{
	uint64_t at = walk->frame, frame, pc;

	if (at < walk->stack || at - walk->stack > FRAME_MOST ||
	    !word_read(walk, at, &frame) ||
	    !word_read(walk, at + sizeof(at), &pc))
		return false;
	walk->pc = code_address(pc);
	walk->stack = at + 2 * sizeof(at);
	walk->frame = frame;
	return true;
}

static bool step(struct walk *walk)
{
	/* A call may be the last of its function, so pc is behind that. */
	const struct eh_module *module = module_find(walk->pc - 1);
	struct eh_rule rule;

	return module && eh_frame_find(module, walk->pc - 1, &rule)
		       ? step_by_rule(walk, &rule)
		       : step_by_frame(walk);
}

static bool is_runtime(uint64_t pc)
{
	const struct eh_module *module = module_find(pc - 1);

	return module && module->is_runtime;
}

/* The loader's lock is held: nothing is unloaded meanwhile. */
static int stack_walk(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct walk *walk = arg;

	(void)size;
	if (atomic_flag_test_and_set(&busy))
		return 1;
	modules_look(info);
	for (int i = 0; i < STEPS_MOST && walk->count < walk->most; i++) {
		if (walk->count || walk->pc == walk->from)
			walk->frames[walk->count++] = walk->pc;
		if (walk->count && walk->behind && !is_runtime(walk->pc))
			break;
		if (!step(walk) || !walk->pc)
			break;
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

static void walk_guarded(struct walk *walk)
{
	if (walks) /* a signal has come */
		return;
	walks = true;
	atomic_fetch_add(&walking, 1);
	if (!atomic_load(&forking))
		dl_iterate_phdr(stack_walk, walk);
	atomic_fetch_sub(&walking, 1);
	walks = false;
}

/* Where the calling function was called, for a walk from there. */
#define WALK_HERE \
	.pc = code_address(((const uint64_t *)__builtin_frame_address(0))[1]), \
	.stack = (uintptr_t)__builtin_dwarf_cfa(), \
	.frame = ((const uint64_t *)__builtin_frame_address(0))[0]

#define READS_STACK __attribute__((noinline, no_sanitize("address", "thread")))

READS_STACK size_t unwind(uint64_t from, uint64_t *frames, size_t most)
{
	struct walk walk = {WALK_HERE, .from = from, .frames = frames,
			    .most = most};
	int saved = errno;

	walk_guarded(&walk);
	errno = saved;
	return walk.count;
}

READS_STACK uint64_t unwind_behind(uint64_t from)
{
	uint64_t frames[RUNTIME_DEPTH];
	struct walk walk = {WALK_HERE, .from = from, .frames = frames,
			    .most = RUNTIME_DEPTH, .behind = true};
	int saved = errno;

	walk_guarded(&walk);
	errno = saved;
	return walk.count && walk.count < RUNTIME_DEPTH ? frames[walk.count - 1]
							: from;
}
