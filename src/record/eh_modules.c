#include "eh_modules.h"

#include <stdbool.h>
#include <string.h>

#define RUNTIME "libcudart"

enum { MODULES = 2048, KNOWN_BITS = 9 };

/* By rising start, as of so many loads and unloads. */
static struct {
	struct eh_module list[MODULES];
	size_t count;
	unsigned long long adds, subs;
} modules;

/* What was found last, by a hash: stacks have much in common, and of a large
 * function, such as an interpreter's, it takes long to find. */
static struct known {
	uint64_t pc;
	const struct eh_module *module; /* or NULL */
	bool has_rule;
	struct eh_rule rule;
} known[1 << KNOWN_BITS];

bool eh_module_is_runtime(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, RUNTIME, sizeof(RUNTIME) - 1);
}

static int module_add(struct dl_phdr_info *info, size_t size, void *unused)
{
	const ElfW(Phdr) *table = NULL, *parts = info->dlpi_phdr;
	struct eh_module found = {
		.start = UINT64_MAX,
		.is_runtime = eh_module_is_runtime(info->dlpi_name)};

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

void eh_modules_look(const struct dl_phdr_info *info)
{
	if (modules.count && modules.adds == info->dlpi_adds &&
	    modules.subs == info->dlpi_subs)
		return;
	modules.count = 0;
	memset(known, 0, sizeof(known));
	dl_iterate_phdr(module_add, NULL);
	modules_sort();
	modules.adds = info->dlpi_adds;
	modules.subs = info->dlpi_subs;
}

const struct eh_module *eh_modules_find(uint64_t pc)
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

const struct eh_rule *eh_modules_rule(uint64_t pc,
				      const struct eh_module **module)
{
	struct known *at = &known[(pc * UINT64_C(0x9e3779b97f4a7c15)) >>
				  (64 - KNOWN_BITS)];

	if (at->pc != pc) {
		at->pc = pc;
		at->module = eh_modules_find(pc);
		at->has_rule =
			at->module && eh_frame_find(at->module, pc, &at->rule);
	}
	*module = at->module;
	return at->has_rule ? &at->rule : NULL;
}
