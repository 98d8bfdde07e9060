#include "plugins.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/plugin.h"
#include "preload/loader.h"

static void *symbol_find(void *handle, const char *name)
{
	return dlsym_behind()(handle, name);
}

/* dlerror, looked for before a file is opened: a search ends what dlerror has
 * to tell. */
static __thread __typeof__(&dlerror) error_of;

static void *file_open(const char *file, int flags)
{
	__typeof__(&dlopen) found = loader_function("dlopen");

	error_of = loader_function("dlerror");
	return found ? found(file, flags) : NULL;
}

static const char *error_told(void)
{
	return error_of ? error_of() : NULL;
}

static const struct plugin_loader loader = {
	.open = file_open,
	.symbol = symbol_find,
	.error = error_told,
	.close = loader_close,
};

static __thread struct plugins *mine;
static __thread bool opening;
static struct plugins *added;

/* If the thread were cancelled in a plug-in's constructor, what it has opened
 * would be lost. */
bool mem_plugins_open(void)
{
	const char *paths;
	int cancel = PTHREAD_CANCEL_ENABLE;

	if (opening)
		return false;
	paths = secure_getenv("MNM_POOL_PLUGINS");
	if (!paths || !*paths)
		return true;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	opening = true;
	mine = plugins_open(paths, &loader);
	opening = false;
	pthread_setcancelstate(cancel, NULL);
	return true;
}

void mem_plugins_add(void)
{
	added = mine;
	mine = NULL;
	if (added)
		plugins_add(added);
}

void mem_plugins_say(void)
{
	char line[PLUGIN_LINE_SIZE];

	for (size_t i = 0; added && i < added->count; i++)
		if (plugin_refusal(&added->list[i], line))
			log_warn("%s", line);
}

void mem_plugins_drop(void)
{
	if (mine)
		plugins_close(mine, &loader);
	mine = NULL;
}
