#include "holders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void site_names(struct symbols *symbols, uint64_t site,
		char file[HOLDER_NAME_SIZE], char function[HOLDER_NAME_SIZE])
{
	if (symbols_find(symbols, site, file, function, HOLDER_NAME_SIZE))
		return;
	if (!*file)
		snprintf(file, HOLDER_NAME_SIZE, "%s",
			 site ? "(code of no file)" : "(unknown)");
	if (!*function && site)
		snprintf(function, HOLDER_NAME_SIZE, "%#" PRIx64, site);
}

static void name(struct named_holder *named, const struct holder *holder,
		 struct symbols *symbols)
{
	named->blocks = holder->blocks;
	named->bytes = holder->bytes;
	site_names(symbols, holder->key, named->file, named->function);
}

static int by_name(const void *a, const void *b)
{
	const struct named_holder *first = a, *second = b;
	int order = strcmp(first->file, second->file);

	return order ? order : strcmp(first->function, second->function);
}

static int by_bytes(const void *a, const void *b)
{
	const struct named_holder *first = a, *second = b;

	if (first->bytes == second->bytes)
		return by_name(a, b);
	return first->bytes < second->bytes ? 1 : -1;
}

/* Adds up neighbours of one name. */
static size_t merge(struct named_holder *named, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && !by_name(&named[kept - 1], &named[i])) {
			named[kept - 1].blocks += named[i].blocks;
			named[kept - 1].bytes += named[i].bytes;
		} else {
			named[kept++] = named[i];
		}
	}
	return kept;
}

size_t holders_merge(struct named_holder *named, size_t count)
{
	qsort(named, count, sizeof(*named), by_name);
	count = merge(named, count);
	qsort(named, count, sizeof(*named), by_bytes);
	return count;
}

struct named_holder *holders_name(const struct device_summary *device,
				  struct symbols *symbols, size_t *count)
{
	struct named_holder *named =
		calloc(device->holders.count + 1, sizeof(*named));

	if (!named)
		return NULL;
	for (size_t i = 0; i < device->holders.count; i++)
		name(&named[i], &device->holders.at[i], symbols);
	*count = holders_merge(named, device->holders.count);
	return named;
}
