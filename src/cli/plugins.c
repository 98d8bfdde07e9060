#include "plugins.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "common/option.h"

static const char *error_said(void)
{
	return dlerror();
}

static void handle_close(void *handle)
{
	dlclose(handle);
}

static struct plugins *used;
static char wrong[OPTION_ERROR_SIZE]; /* with the variable; "" if nothing */

/* As the program will see it. */
static bool paths_check(const char *paths)
{
	struct config config;

	config_init(&config);
	return config_set(&config, "pool_plugins", paths, wrong);
}

const struct plugins *plugins_use(void)
{
	static const struct plugin_loader loader = {
		.open = dlopen,
		.symbol = dlsym,
		.error = error_said,
		.close = handle_close,
	};
	const char *paths = getenv("MNM_POOL_PLUGINS");

	if (used || !paths || !*paths || !paths_check(paths))
		return used;
	used = plugins_open(paths, &loader);
	if (used)
		plugins_add(used);
	return used;
}

static void line_print(const char *command, const char *what, const char *wrong)
{
	error_print("%s: %s%s", command, what, wrong);
	fputc('\n', stderr);
}

void plugins_print(const char *command)
{
	char line[PLUGIN_LINE_SIZE];

	if (*wrong)
		line_print(command, "MNM_POOL_PLUGINS: ", wrong);
	for (size_t i = 0; used && i < used->count; i++)
		if (plugin_refusal(&used->list[i], line))
			line_print(command, "", line);
}
