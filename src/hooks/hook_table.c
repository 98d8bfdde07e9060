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

static const struct { const char *symbol; size_t offset; } driver_used[] = {
#define USED(symbol) {#symbol, offsetof(struct real_driver, symbol)},
	DRIVER_USED_LIST
#undef USED
}, runtime_used[] = {
#define USED(symbol) {#symbol, offsetof(struct real_runtime, symbol)},
	RUNTIME_USED_LIST
#undef USED
};
/* clang-format on */

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

static void rows_set(void *table, void *handle, const struct hook_row *row)
{
	for (; row->symbol; row++)
		member_set(table, row->real_offset, handle, row->symbol);
}

/* Publishes a filled table once; whoever comes second drops theirs. A lock
 * would meet the loader's own: constructors call dlsym too. */
static const void *table_publish(const void *_Atomic *slot, void *table,
				 bool usable)
{
	const void *there = NULL;

	dlerror(); /* entries that this CUDA lacks are no error of the caller */
	if (usable && atomic_compare_exchange_strong(slot, &there, table))
		return table;
	free(table);
	return there;
}

const struct real_driver *real_driver(void)
{
	static const void *_Atomic slot;
	const void *there = atomic_load_explicit(&slot, memory_order_acquire);
	struct real_driver *fresh;
	void *handle;

	if (there)
		return there;
	handle = library_find("libcuda.so");
	fresh = handle ? calloc(1, sizeof(*fresh)) : NULL;
	if (!fresh) {
		dlerror();
		return NULL;
	}
	rows_set(fresh, handle, driver_rows);
	for (size_t i = 0; i < sizeof(driver_used) / sizeof(*driver_used); i++)
		member_set(fresh, driver_used[i].offset, handle,
			   driver_used[i].symbol);
	return table_publish(
		&slot, fresh,
		fresh->cuMemAlloc_v2 && fresh->cuMemFree_v2 &&
			fresh->cuMemGetInfo_v2 && fresh->cuCtxGetCurrent &&
			fresh->cuCtxGetDevice && fresh->cuCtxSynchronize &&
			fresh->cuCtxPushCurrent_v2 &&
			fresh->cuCtxPopCurrent_v2);
}

const struct real_runtime *real_runtime(void)
{
	static const void *_Atomic slot;
	const void *there = atomic_load_explicit(&slot, memory_order_acquire);
	struct real_runtime *fresh;
	void *handle;

	if (there)
		return there;
	handle = library_find("libcudart");
	fresh = handle ? calloc(1, sizeof(*fresh)) : NULL;
	if (!fresh) {
		dlerror();
		return NULL;
	}
	rows_set(fresh, handle, runtime_rows);
	for (size_t i = 0; i < sizeof(runtime_used) / sizeof(*runtime_used);
	     i++)
		member_set(fresh, runtime_used[i].offset, handle,
			   runtime_used[i].symbol);
	return table_publish(&slot, fresh,
			     fresh->cudaMalloc && fresh->cudaFree &&
				     fresh->cudaMemGetInfo &&
				     fresh->cudaRuntimeGetVersion);
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
	if (handle == RTLD_DEFAULT && found == row->ours && !real) {
		/* Our export alone must not look like an installed CUDA. */
		answer.address = dlsym_behind()(RTLD_NEXT, symbol);
		answer.answered = 1;
	} else if (found && real && mem_enabled() &&
		   found == member_get(real, row->real_offset)) {
		answer.address = row->ours;
		answer.answered = 1;
	}
	return answer;
}
