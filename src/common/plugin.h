/* Plug-ins: shared objects that bring further pools, see include/mnm/pool.h.
 *
 * The library and `mnm` open them. One that is not right is refused, all of it,
 * and the others serve. To open one runs its constructors, and takes the
 * loader's lock: that must not happen under a lock of ours, as whoever has the
 * loader's may wait for it. */
#ifndef MNM_PLUGIN_H
#define MNM_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

struct mnm_plugin;
struct mnm_pool_row;

enum { PLUGIN_WHY_SIZE = 256 };

/* The loader's functions. */
struct plugin_loader {
	void *(*open)(const char *file, int flags);
	void *(*symbol)(void *handle, const char *name);
	/* Why the thread's last call has failed, or NULL; that is forgotten. */
	const char *(*error)(void);
	void (*close)(void *handle);
};

struct plugin {
	const char *file;
	void *handle;                   /* NULL: it could not be opened */
	const struct mnm_plugin *table; /* NULL: it is refused */
	char why[PLUGIN_WHY_SIZE];      /* it is refused; one line */
};

struct plugins {
	size_t count;
	char *paths; /* the files' */
	struct plugin list[];
};

/* Whether each of the paths in a text, with colons between, is absolute. */
bool plugin_paths_valid(const char *paths);

/* Opens the files of such paths. Returns NULL if the paths are not valid, or
 * without memory. */
struct plugins *plugins_open(const char *paths,
			     const struct plugin_loader *loader);

/* What is wrong with the functions of a row's pool, or NULL. */
const char *pool_row_wrong(const struct mnm_pool_row *row);

/* Adds the pools of those that are right to pool_rows. Only one list is ever
 * added, and it has to stay. Calls nothing that plug-ins bring. */
void plugins_add(struct plugins *plugins);

/* Writes "plug-in FILE is refused: WHY", if it is. */
enum { PLUGIN_LINE_SIZE = 480 };
bool plugin_refusal(const struct plugin *plugin, char line[PLUGIN_LINE_SIZE]);

/* Ends a list that was not added. */
void plugins_close(struct plugins *plugins, const struct plugin_loader *loader);

#endif
