/* Rows of all hooks, and CUDA's own entries behind them. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook.h"
#include "mem.h"
#include "real.h"

struct hook_row {
	const char *symbol; /* as exported */
	const char *name;   /* as cuGetProcAddress knows it, or "" */
	int from, until;    /* versions of that name with this ABI */
	void *ours;
	size_t real_offset; /* in struct real_driver or real_runtime */
};

/* An entry of CUDA's that we call. */
struct used_row {
	const char *symbol;
	size_t real_offset;
};

/* clang-format off */
static const struct hook_row driver_rows[] = {
#define HOOK(symbol, name, from, until) \
	{#symbol, name, from, until, (void *)symbol, \
	 offsetof(struct real_driver, symbol)},
	DRIVER_HOOK_LIST
#undef HOOK
	{NULL, NULL, 0, 0, NULL, 0},
};

static const struct hook_row runtime_rows[] = {
#define HOOK(symbol, name, from, until) \
	{#symbol, name, from, until, (void *)symbol, \
	 offsetof(struct real_runtime, symbol)},
	RUNTIME_HOOK_LIST
#undef HOOK
	{NULL, NULL, 0, 0, NULL, 0},
};

#define USED(symbol) {#symbol, offsetof(struct real_driver, symbol)},
static const struct used_row driver_used[] = {
	DRIVER_USED_LIST {NULL, 0}
};
/* Without these nothing can be served. */
static const struct used_row driver_needed[] = {
	USED(cuMemAlloc_v2) USED(cuMemFree_v2) USED(cuMemGetInfo_v2)
	USED(cuCtxGetCurrent) USED(cuCtxGetDevice) USED(cuCtxSynchronize)
	USED(cuCtxPushCurrent_v2) USED(cuCtxPopCurrent_v2) {NULL, 0}
};
#undef USED

#define USED(symbol) {#symbol, offsetof(struct real_runtime, symbol)},
static const struct used_row runtime_used[] = {
	RUNTIME_USED_LIST {NULL, 0}
};
static const struct used_row runtime_needed[] = {
	USED(cudaMalloc) USED(cudaFree) USED(cudaMemGetInfo)
	USED(cudaRuntimeGetVersion) {NULL, 0}
};
#undef USED
/* clang-format on */

/* A library of CUDA's, and the table of its entries once it is loaded. */
struct library {
	const char *prefix; /* of its file's name */
	const struct hook_row *rows;
	const struct used_row *used, *needed;
	size_t table_size;
	const void *_Atomic table;
};

static struct library driver = {
	.prefix = "libcuda.so",
	.rows = driver_rows,
	.used = driver_used,
	.needed = driver_needed,
	.table_size = sizeof(struct real_driver),
};

static struct library runtime = {
	.prefix = "libcudart",
	.rows = runtime_rows,
	.used = runtime_used,
	.needed = runtime_needed,
	.table_size = sizeof(struct real_runtime),
};

struct library_search {
	const char *prefix; /* of the file's name */
	char path[PATH_MAX];
};

static int library_visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct library_search *search = arg;
	const char *file = strrchr(info->dlpi_name, '/');

	(void)size;
	file = file ? file + 1 : info->dlpi_name;
	if (strncmp(file, search->prefix, strlen(search->prefix)))
		return 0;
	snprintf(search->path, sizeof(search->path), "%s", info->dlpi_name);
	return 1;
}

/* The loaded library whose file name starts so; it may be local to a plug-in,
 * where no look-up by scope finds it. NULL: none is loaded. Opened after the
 * walk, which holds a lock that dlopen takes second. */
static void *library_find(const char *prefix)
{
	struct library_search search = {prefix, ""};

	if (!dl_iterate_phdr(library_visit, &search))
		return NULL;
	return dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD);
}

static void member_set(void *table, size_t offset, void *handle,
		       const char *symbol)
{
	void *address = dlsym_behind()(handle, symbol);

	memcpy((char *)table + offset, &address, sizeof(address));
}

static void *member_get(const void *table, size_t offset)
{
	void *address;

	memcpy(&address, (const char *)table + offset, sizeof(address));
	return address;
}

/* The entries of a loaded library; NULL if one that is needed is missing. */
static void *table_new(const struct library *library, void *handle)
{
	void *table = calloc(1, library->table_size);

	if (!table)
		return NULL;
	for (const struct hook_row *row = library->rows; row->symbol; row++)
		member_set(table, row->real_offset, handle, row->symbol);
	for (const struct used_row *row = library->used; row->symbol; row++)
		member_set(table, row->real_offset, handle, row->symbol);
	for (const struct used_row *row = library->needed; row->symbol; row++) {
		if (member_get(table, row->real_offset))
			continue;
		free(table);
		return NULL;
	}
	return table;
}

/* Published once; whoever comes second drops theirs. A lock would meet the
 * loader's own: constructors call dlsym too. */
static const void *library_table(struct library *library)
{
	const void *there =
		atomic_load_explicit(&library->table, memory_order_acquire);
	void *handle, *fresh;

	if (there)
		return there;
	handle = library_find(library->prefix);
	fresh = handle ? table_new(library, handle) : NULL;
	dlerror(); /* what this CUDA lacks is no error of the caller's */
	if (!fresh)
		return NULL;
	if (atomic_compare_exchange_strong(&library->table, &there, fresh))
		return fresh;
	free(fresh);
	return there;
}

const struct real_driver *real_driver(void)
{
	return library_table(&driver);
}

const struct real_runtime *real_runtime(void)
{
	return library_table(&runtime);
}

void *hook_replace(const char *name, int version, void *found)
{
	const struct real_driver *real = real_driver();
	const struct hook_row *row;

	if (!found || !real || !mem_enabled())
		return found;
	for (row = driver_rows; row->symbol; row++)
		if (found == member_get(real, row->real_offset))
			return row->ours;
	/* A driver may answer with a door that is not the exported one. */
	for (row = driver_rows; name && row->symbol; row++)
		if (!strcmp(row->name, name) && version >= row->from &&
		    version < row->until && member_get(real, row->real_offset))
			return row->ours;
	return found;
}

static const struct hook_row *row_find(const struct hook_row *row,
				       const char *symbol)
{
	for (; row->symbol; row++)
		if (!strcmp(row->symbol, symbol))
			return row;
	return NULL;
}

/* The row of a symbol, and the table with CUDA's own, if it is loaded. */
static const struct hook_row *row_of(const char *symbol, const void **real)
{
	bool runtime = !strncmp(symbol, "cuda", 4);
	const struct hook_row *row =
		row_find(runtime ? runtime_rows : driver_rows, symbol);

	if (row)
		*real = runtime ? (const void *)real_runtime()
				: (const void *)real_driver();
	return row;
}

struct dlsym_answer hook_dlsym(void *handle, const char *symbol)
{
	struct dlsym_answer answer = {NULL, 0};
	const void *real = NULL;
	const struct hook_row *row = row_of(symbol, &real);
	void *found;

	if (!row)
		return answer;
	found = dlsym_behind()(handle, symbol);
	if (found == row->ours &&
	    (!real || !member_get(real, row->real_offset))) {
		/* Our export alone must not look like an installed CUDA, or
		 * like an entry that this one lacks. */
		answer.address = dlsym_behind()(RTLD_NEXT, symbol);
		answer.answered = 1;
	} else if (found && real && mem_enabled() &&
		   found == member_get(real, row->real_offset)) {
		answer.address = row->ours;
		answer.answered = 1;
	}
	return answer;
}
