#include "plugin.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mnm/pool.h>

#include "file_stat.h"
#include "object_file.h"
#include "pool_list.h"
#include "text.h"

enum { FILE_SHOWN = 190, SUMMARY_MAX = 200, NAME_SHOWN = POOL_NAME_MAX + 1 };

bool plugin_paths_valid(const char *paths)
{
	while (paths && *paths == '/') {
		paths = strchr(paths, ':');
		if (paths)
			paths++;
	}
	return !paths;
}

__attribute__((format(printf, 2, 3))) static bool plugin_refuse(
	struct plugin *plugin, const char *format, ...)
{
	char why[PLUGIN_WHY_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	text_plain(why, plugin->why, sizeof(plugin->why));
	plugin->table = NULL;
	return false;
}

/* What the loader says often begins with the file's name, which is said
 * anyway. */
static void loader_refuses(struct plugin *plugin, const char *error)
{
	size_t length = strlen(plugin->file);

	if (error && !strncmp(error, plugin->file, length) &&
	    !strncmp(error + length, ": ", 2))
		error += length + 2;
	plugin_refuse(plugin, "%s", error ? error : "the loader can't open it");
}

static void plugin_open(struct plugin *plugin,
			const struct plugin_loader *loader)
{
	struct stat st;

	/* A pipe, for example, would be waited for. */
	if (!file_stat(plugin->file, &st, 0) && !S_ISREG(st.st_mode)) {
		plugin_refuse(plugin, "it is not a regular file");
		return;
	}
	if (object_file_is_cut(plugin->file)) {
		plugin_refuse(plugin, "it is cut short");
		return;
	}
	plugin->handle = loader->open(plugin->file, RTLD_NOW | RTLD_LOCAL);
	if (!plugin->handle) {
		loader_refuses(plugin, loader->error());
		return;
	}
	plugin->table = loader->symbol(plugin->handle, "mnm_plugin");
	if (!plugin->table)
		plugin_refuse(plugin, "it has no symbol mnm_plugin");
}

struct plugins *plugins_open(const char *paths,
			     const struct plugin_loader *loader)
{
	struct plugins *plugins;
	size_t count = 1;
	char *rest;

	if (!plugin_paths_valid(paths))
		return NULL;
	for (const char *at = paths; (at = strchr(at, ':')); at++)
		count++;
	plugins = calloc(1, sizeof(*plugins) + count * sizeof(struct plugin));
	rest = plugins ? strdup(paths) : NULL;
	if (!rest) {
		free(plugins);
		return NULL;
	}
	plugins->paths = rest;
	for (; plugins->count < count; plugins->count++) {
		plugins->list[plugins->count].file = strsep(&rest, ":");
		plugin_open(&plugins->list[plugins->count], loader);
	}
	loader->error(); /* of a symbol; the program's own calls set it next */
	return plugins;
}

static const char *row_name(const struct mnm_pool_row *row)
{
	return row->ops ? row->ops->name : NULL;
}

static bool name_valid(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return length && length <= POOL_NAME_MAX && !name[length];
}

/* One line that a terminal can show. */
static bool summary_valid(const char *summary)
{
	char plain[SUMMARY_MAX + 2];

	return summary && *summary &&
	       strnlen(summary, SUMMARY_MAX + 1) <= SUMMARY_MAX &&
	       !strcmp(text_plain(summary, plain, sizeof(plain)), summary);
}

static bool name_is_free(struct plugin *plugin, unsigned int index)
{
	const struct mnm_pool_row *rows = plugin->table->rows;
	const char *name = row_name(&rows[index]), *file;
	int taken = pool_row_find(name);

	for (unsigned int i = 0; i < index; i++)
		if (!strcmp(row_name(&rows[i]), name))
			return plugin_refuse(plugin,
					     "it has two pools of the name %s",
					     name);
	if (taken < 0)
		return true;
	file = pool_rows[taken].file;
	return plugin_refuse(plugin, "the name %s is taken by %s%s", name,
			     file ? "a pool of " : "one of mnm's own pools",
			     file ? file : "");
}

static bool row_check(struct plugin *plugin, unsigned int index)
{
	const struct mnm_pool_row *row = &plugin->table->rows[index];
	const char *name = row_name(row), *wrong;

	if (!name)
		return plugin_refuse(plugin, "pool %u has no %s", index,
				     row->ops ? "name" : "ops");
	if (!name_valid(name))
		return plugin_refuse(plugin,
				     "pool %u has the name '%.*s'; allowed: 1 "
				     "to %d of a-z, 0-9 and _",
				     index, NAME_SHOWN, name, POOL_NAME_MAX);
	if (!summary_valid(row->summary))
		return plugin_refuse(plugin,
				     "%s has no summary of 1 to %d printable "
				     "ASCII characters",
				     name, SUMMARY_MAX);
	if ((unsigned int)row->backing >= BACKING_COUNT)
		return plugin_refuse(plugin, "%s has the unknown backing %u",
				     name, (unsigned int)row->backing);
	wrong = pool_row_wrong(row);
	if (wrong)
		return plugin_refuse(plugin, "%s is no pool: %s", name, wrong);
	return name_is_free(plugin, index);
}

static bool table_check(struct plugin *plugin)
{
	const struct mnm_plugin *table = plugin->table;
	unsigned int room = (unsigned int)(POOL_ROWS_MAX - pool_rows_count());

	if (table->version != MNM_POOL_VERSION)
		return plugin_refuse(plugin,
				     "it is made for version %u of mnm/pool.h, "
				     "and this mnm has version %d",
				     table->version, MNM_POOL_VERSION);
	if (!table->count || !table->rows)
		return plugin_refuse(plugin, "it has no pools");
	if (table->count > room)
		return plugin_refuse(plugin,
				     "it has %u pools, and there is room for "
				     "%u of %d",
				     table->count, room, POOL_ROWS_MAX);
	for (unsigned int i = 0; i < table->count; i++)
		if (!row_check(plugin, i))
			return false;
	return true;
}

void plugins_add(struct plugins *plugins)
{
	for (size_t i = 0; i < plugins->count; i++) {
		struct plugin *plugin = &plugins->list[i];
		const struct mnm_plugin *table = plugin->table;

		if (table && table_check(plugin) &&
		    !pool_rows_add(table->rows, table->count, plugin->file))
			plugin_refuse(plugin, "no memory");
	}
}

bool plugin_refusal(const struct plugin *plugin, char line[PLUGIN_LINE_SIZE])
{
	char file[FILE_SHOWN];

	if (plugin->table)
		return false;
	snprintf(line, PLUGIN_LINE_SIZE, "plug-in %s is refused: %s",
		 text_plain(plugin->file, file, sizeof(file)), plugin->why);
	return true;
}

void plugins_close(struct plugins *plugins, const struct plugin_loader *loader)
{
	for (size_t i = 0; i < plugins->count; i++)
		if (plugins->list[i].handle)
			loader->close(plugins->list[i].handle);
	free(plugins->paths);
	free(plugins);
}
