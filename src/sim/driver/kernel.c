#include "kernel.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TABLE_MAX = 64 };

struct table {
	void *object;
	const struct sim_kernel *kernels;
	size_t count;
};

static struct table tables[TABLE_MAX];
static unsigned table_count;
static unsigned modes = KERNELS_INTERPRET;

bool kernel_mode(unsigned mode_set)
{
	return modes & mode_set;
}

static void table_add(const char *path)
{
	const struct sim_kernel *(*kernels)(size_t * count);
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *entry = lib ? dlsym(lib, "sim_kernels") : NULL;
	struct table *table = &tables[table_count];

	if (!entry || table_count == TABLE_MAX) {
		fprintf(stderr,
			"mnm-sim: kernels: %s (allowed are files with kernels, "
			"interpret, standin and none)\n",
			entry ? "too many files" : dlerror());
		return;
	}
	memcpy(&kernels, &entry, sizeof(kernels));
	table->object = lib;
	table->kernels = kernels(&table->count);
	table_count++;
}

static void program_add(void)
{
	static const char suffix[] = ".kernels.so";
	char path[PATH_MAX + sizeof(suffix)];
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX);

	if (len < 0)
		return;
	memcpy(path + len, suffix, sizeof(suffix));
	if (!access(path, R_OK))
		table_add(path);
}

/* A part of the list is a word or a file. */
static void part_read(const char *part, unsigned *wanted, bool *none)
{
	if (!strcmp(part, "interpret"))
		*wanted |= KERNELS_INTERPRET;
	else if (!strcmp(part, "standin"))
		*wanted |= KERNELS_STANDIN;
	else if (!strcmp(part, "none"))
		*none = true;
	else
		table_add(part);
}

void kernel_open(void)
{
	const char *list = getenv("MNM_SIM_KERNELS");
	unsigned wanted = 0;
	bool none = false;

	while (list && *list) {
		const char *end = strchrnul(list, ':');
		char part[PATH_MAX];

		if (end > list) {
			snprintf(part, sizeof(part), "%.*s", (int)(end - list),
				 list);
			part_read(part, &wanted, &none);
		}
		list = *end ? end + 1 : end;
	}
	if (wanted || none)
		modes = wanted;
	program_add();
}

const struct sim_kernel *kernel_find(const char *name)
{
	for (unsigned i = 0; i < table_count; i++)
		for (size_t k = 0; k < tables[i].count; k++)
			if (!strcmp(tables[i].kernels[k].name, name))
				return &tables[i].kernels[k];
	return NULL;
}

const struct sim_kernel *kernel_at(size_t index)
{
	for (unsigned i = 0; i < table_count; i++) {
		if (index < tables[i].count)
			return &tables[i].kernels[index];
		index -= tables[i].count;
	}
	return NULL;
}

/* Only an object's own variable counts, and not one of a library that it is
 * linked with. */
void *kernel_variable(const char *name, size_t *size)
{
	for (unsigned i = 0; i < table_count; i++) {
		void *found = dlsym(tables[i].object, name);
		const ElfW(Sym) *symbol = NULL;
		Dl_info info, own;

		if (!found ||
		    !dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
		    !dladdr(tables[i].kernels, &own) ||
		    info.dli_fbase != own.dli_fbase || !symbol ||
		    ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
			continue;
		*size = symbol->st_size;
		return found;
	}
	return NULL;
}

void kernel_variable_check(const char *name, size_t size)
{
	size_t found;

	if (table_count && (!kernel_variable(name, &found) || found != size))
		fprintf(stderr,
			"mnm-sim: no host kernel uses a variable %s: what is "
			"copied to it reaches none\n",
			name);
}
