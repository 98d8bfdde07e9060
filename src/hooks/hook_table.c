/* The rows of all hooks. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order/calls.h"
#include "order/legacy.h"
#include "context/context.h"
#include "hook.h"
#include "api_names.h"
#include "preload/loader.h"
#include "mem/mem.h"
#include "cuda/real.h"
#include "unknown.h"
#include "order/stream_order.h"

struct hook_row {
	const char *symbol; /* as exported */
	const char *name;   /* as cuGetProcAddress knows it, or "" */
	int from, until;    /* versions with this ABI */
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

/* clang-format on */

/* CUDA's own function of a row, from the table of its library. */
static void *row_real(const struct hook_row *row, const void *table)
{
	void *address;

	memcpy(&address, (const char *)table + row->real_offset,
	       sizeof(address));
	return address;
}

static const struct hook_row *row_find(const struct hook_row *row,
				       const char *symbol)
{
	for (; row->symbol; row++)
		if (!strcmp(row->symbol, symbol))
			return row;
	return NULL;
}

/* The row that a name and version mean, or NULL. */
static const struct hook_row *row_meant(const char *name, int version,
					bool per_thread)
{
	static const char *const twins[] = {"_ptsz", "_ptds"};
	const struct hook_row *row = driver_rows, *twin = NULL;
	char symbol[64];

	while (row->symbol && (strcmp(row->name, name) || version < row->from ||
			       version >= row->until))
		row++;
	if (!row->symbol || !per_thread)
		return row->symbol ? row : NULL;
	for (int i = 0; i < 2 && !twin; i++) {
		snprintf(symbol, sizeof(symbol), "%s%s", row->symbol, twins[i]);
		twin = row_find(driver_rows, symbol);
	}
	if (twin && version < twin->from) { /* CUDA may mean either */
		stream_order_opaque();
		return NULL;
	}
	return twin ? twin : row;
}

static int name_compare(const void *name, const void *known)
{
	return strcmp(name, known);
}

/* Whether the headers have that name: entries that they lack may queue work. */
static bool name_is_known(const char *name)
{
	return bsearch(name, api_names, known_count, sizeof(*api_names),
		       name_compare);
}

/* Whether this version of a hooked entry is later than the headers. */
static bool form_is_later(const char *name, int version)
{
	const struct hook_row *row = driver_rows;

	while (row->symbol && strcmp(row->name, name))
		row++;
	return row->symbol && version > CUDA_VERSION;
}

static bool is_drivers(const void *found)
{
	const char *file;
	Dl_info info;

	if (!found || !loader_address(found, &info) || !info.dli_fname)
		return false;
	file = strrchr(info.dli_fname, '/');
	file = file ? file + 1 : info.dli_fname;
	return !strncmp(file, "libcuda.so", strlen("libcuda.so"));
}

/* The entry may queue work, or change the current context, without our seeing
 * it. Returns what to hand out for it. */
static void *entry_opaque(const char *name, void *entry)
{
	stream_order_opaque();
	context_opaque();
	stream_calls_unseen();
	legacy_settle();
	if (mem_enabled() && is_drivers(entry))
		return unknown_entry_found(name, entry);
	legacy_actions_unseen();
	legacy_settle();
	return entry;
}

void *hook_replace(const char *name, int version, bool per_thread, void *found)
{
	const struct real_driver *real = real_driver();
	const struct hook_row *row;

	if (!found || !real || !mem_enabled())
		return found;
	for (row = driver_rows; row->symbol; row++)
		if (found == row_real(row, real))
			return row->ours;
	/* A driver may answer with an entry point that is not the exported one.
	 */
	row = name && version <= CUDA_VERSION
		      ? row_meant(name, version, per_thread)
		      : NULL; /* a later form may have another ABI */
	if (row && row_real(row, real))
		return row->ours;
	if (name && (!name_is_known(name) || form_is_later(name, version)))
		return entry_opaque(name, found);
	return found;
}

/* The row of a symbol, or NULL. If there is one, *real is the table of CUDA's
 * own functions, or NULL if that library is not loaded. */
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
	const struct hook_row *row;
	bool driver;
	void *found;

	/* CUDA's entries are called cuName and cudaName; those of cuBLAS, for
	 * example, are not. */
	driver = symbol[2] >= 'A' && symbol[2] <= 'Z';
	if (!driver && strncmp(symbol, "cuda", 4))
		return answer;
	row = row_of(symbol, &real);
	if (!row && (!driver || name_is_known(symbol)))
		return answer;
	found = dlsym_behind()(handle, symbol);
	if (!row) {
		answer.answered = is_drivers(found);
		if (answer.answered)
			answer.address = entry_opaque(symbol, found);
		return answer;
	}
	if (found == row->ours && (!real || !row_real(row, real))) {
		/* Our export alone must not look like an installed CUDA, or
		 * like an entry that the installed CUDA lacks. */
		answer.address = dlsym_behind()(RTLD_NEXT, symbol);
		answer.answered = 1;
	} else if (found && real && mem_enabled() &&
		   found == row_real(row, real)) {
		answer.address = row->ours;
		answer.answered = 1;
	}
	return answer;
}
