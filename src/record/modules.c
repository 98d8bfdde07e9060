#include "modules.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MISSES = 256 };

static struct module *modules;
/* Sites that were looked for in vain, by a hash. */
static uint64_t misses[MISSES];

static uint64_t *miss_of(uint64_t site)
{
	return &misses[(site * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

static const struct module *module_find(uint64_t site)
{
	const struct module *at = modules;

	while (at && (site < at->start || site >= at->end))
		at = at->next;
	return at;
}

bool modules_know(uint64_t site)
{
	if (!site || *miss_of(site) == site || module_find(site))
		return true;
	*miss_of(site) = site;
	return false;
}

bool modules_have(uint64_t site)
{
	return module_find(site);
}

static bool is_known(const struct module *found)
{
	const struct module *at = modules;

	while (at &&
	       (at->start != found->start || at->end != found->end ||
		at->offset != found->offset || strcmp(at->path, found->path)))
		at = at->next;
	return at;
}

/* A new one comes first: where it lies, another one may have been. */
static const struct module *module_add(const struct module *found)
{
	struct module *module = malloc(sizeof(*module));

	if (!module)
		return NULL;
	*module = *found;
	module->path = strdup(found->path);
	if (!module->path) {
		free(module);
		return NULL;
	}
	module->next = modules;
	modules = module;
	return module;
}

/* Reads a line of /proc/self/maps: START-END PERMISSIONS OFFSET DEVICE INODE
 * PATH. Returns false if it is not of a file. */
static bool line_read(char *line, struct module *found, bool *is_code)
{
	char *at = line, *end;

	found->start = strtoull(at, &at, 16);
	found->end = strtoull(at + 1, &at, 16);
	if (strlen(at) < 6)
		return false;
	*is_code = at[3] == 'x';
	found->offset = strtoull(at + 6, &at, 16);
	found->path = strchr(at, '/');
	end = found->path ? strchr(found->path, '\n') : NULL;
	if (!end)
		return false;
	*end = '\0';
	return true;
}

void modules_look(void (*each)(const struct module *module))
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128], path[PATH_MAX] = "";
	uint64_t first = 0; /* where the first byte of that path is */
	bool is_code;

	while (maps && fgets(line, sizeof(line), maps)) {
		const struct module *added = NULL;
		struct module found = {0};

		if (!line_read(line, &found, &is_code))
			continue;
		if (!found.offset) {
			snprintf(path, sizeof(path), "%s", found.path);
			first = found.start;
		}
		if (!is_code || is_known(&found))
			continue;
		if (!strcmp(path, found.path))
			build_id_read(first, found.build);
		added = module_add(&found);
		if (added)
			each(added);
	}
	if (maps)
		fclose(maps);
}

void modules_each(void (*each)(const struct module *module))
{
	for (const struct module *at = modules; at; at = at->next)
		each(at);
}

void modules_forget(void)
{
	while (modules) {
		struct module *first = modules;

		modules = first->next;
		free(first->path);
		free(first);
	}
	memset(misses, 0, sizeof(misses));
}
