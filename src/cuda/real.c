/* Tables of CUDA's own entries, filled once their library is loaded. */
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/loader.h"
#include "preload/elf_symbol.h"
#include "real.h"
#include "preload/syscall_filter.h"

/* The place of an entry in its table. */
struct entry {
	const char *symbol;
	size_t offset;
};

/* clang-format off */
#define USED(symbol) {#symbol, offsetof(struct real_driver, symbol)},
#define HOOK(symbol, name, from, until) USED(symbol)
static const struct entry driver_entries[] = {
	DRIVER_USED_LIST DRIVER_HOOK_LIST {NULL, 0}
};
/* Without these nothing can be served. */
static const struct entry driver_needed[] = {
	USED(cuMemAlloc_v2) USED(cuMemFree_v2) USED(cuMemGetInfo_v2)
	USED(cuCtxGetCurrent) USED(cuCtxGetDevice) USED(cuCtxSynchronize)
	USED(cuCtxPushCurrent_v2) USED(cuCtxPopCurrent_v2) {NULL, 0}
};
#undef USED

#define USED(symbol) {#symbol, offsetof(struct real_runtime, symbol)},
static const struct entry runtime_entries[] = {
	RUNTIME_USED_LIST RUNTIME_HOOK_LIST {NULL, 0}
};
static const struct entry runtime_needed[] = {
	USED(cudaMalloc) USED(cudaFree) USED(cudaMemGetInfo)
	USED(cudaRuntimeGetVersion) {NULL, 0}
};
#undef USED
#undef HOOK
/* clang-format on */

struct library {
	const char *prefix; /* of its file's name */
	const struct entry *entries, *needed;
	size_t table_size;
	const void *_Atomic *table;
	void *spare; /* room for a table without malloc */
	atomic_flag spare_taken;
};

static struct real_driver driver_spare;
static struct real_runtime runtime_spare;

const void *_Atomic real_driver_table, *_Atomic real_runtime_table;

static struct library driver = {
	.table = &real_driver_table,
	.prefix = "libcuda.so",
	.entries = driver_entries,
	.needed = driver_needed,
	.table_size = sizeof(struct real_driver),
	.spare = &driver_spare,
	.spare_taken = ATOMIC_FLAG_INIT,
};

static struct library runtime = {
	.table = &real_runtime_table,
	.prefix = "libcudart",
	.entries = runtime_entries,
	.needed = runtime_needed,
	.table_size = sizeof(struct real_runtime),
	.spare = &runtime_spare,
	.spare_taken = ATOMIC_FLAG_INIT,
};

struct library_search {
	const char *prefix; /* of the file's name */
	char path[PATH_MAX];
};

static int library_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct library_search *search = arg;

	(void)size;
	if (!elf_file_named(info->dlpi_name, search->prefix))
		return 0;
	snprintf(search->path, sizeof(search->path), "%s", info->dlpi_name);
	return 1;
}

/* The loaded library whose file name starts with this prefix, or NULL if none
 * is loaded. It may be local to a plug-in, where no look-up by scope finds it.
 * It is opened after the walk, because the walk holds a lock that dlopen takes
 * second. */
static void *library_find(const char *prefix)
{
	struct library_search search = {prefix, ""};

	if (!dl_iterate_phdr(library_visit, &search))
		return NULL;
	return loader_open(search.path, RTLD_LAZY | RTLD_NOLOAD);
}

/* Fills a table. Returns false if an entry that is needed is missing. */
static bool table_fill(char *table, const struct library *library, void *handle)
{
	const struct entry *entry;
	void *address;

	for (entry = library->entries; entry->symbol; entry++) {
		address = dlsym_behind()(handle, entry->symbol);
		memcpy(table + entry->offset, &address, sizeof(address));
	}
	for (entry = library->needed; entry->symbol; entry++) {
		memcpy(&address, table + entry->offset, sizeof(address));
		if (!address)
			return false;
	}
	return true;
}

/* If there is no memory, the spare table serves: without CUDA's entries, a
 * program's calls could not even be handed on. */
static void *table_new(struct library *library)
{
	void *table = calloc(1, library->table_size);

	if (!table && !atomic_flag_test_and_set(&library->spare_taken))
		table = library->spare;
	return table;
}

static void table_drop(struct library *library, void *table)
{
	if (table == library->spare)
		atomic_flag_clear(&library->spare_taken);
	else
		free(table);
}

/* A table is published once; a thread that comes second drops its own. A lock
 * would meet the loader's own lock, because constructors call dlsym too. */
static const void *library_table(struct library *library)
{
	const void *there =
		atomic_load_explicit(library->table, memory_order_acquire);
	void *handle, *fresh = NULL;
	bool usable = false;

	if (there)
		return there;
	handle = library_find(library->prefix);
	if (handle)
		fresh = table_new(library);
	if (fresh)
		usable = table_fill(fresh, library, handle);
	/* What this CUDA lacks is not an error of the caller's. */
	loader_error_clear();
	if (usable &&
	    atomic_compare_exchange_strong(library->table, &there, fresh))
		return fresh;
	table_drop(library, fresh);
	return there;
}

const struct real_driver *real_driver_find(void)
{
	const struct real_driver *real = library_table(&driver);

	if (real)
		syscall_filter_look();
	return real;
}

const struct real_runtime *real_runtime_find(void)
{
	return library_table(&runtime);
}
