/* Loads a plug-in as Python loads an extension: with RTLD_LOCAL, so that the
 * runtime that comes with it is in no global scope.
 * Usage: plugin_host PLUGIN [HOW]
 *   deepbind  the plug-in finds its own libraries first
 *   apart     loads all of them a second time
 *   twice     closes the plug-in after use and opens it again */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Returns the plug-in's own result. *plugin is NULL if the plug-in can't be
 * loaded. */
static int plugin_run(const char *path, const char *how, void **plugin)
{
	int flags = RTLD_NOW | RTLD_LOCAL;
	int (*run)(void) = NULL;

	if (!strcmp(how, "apart"))
		*plugin = dlmopen(LM_ID_NEWLM, path, flags);
	else
		*plugin = dlopen(path, !strcmp(how, "deepbind")
					       ? flags | RTLD_DEEPBIND
					       : flags);
	if (*plugin)
		run = (int (*)(void))dlsym(*plugin, "shell_run");
	if (!run) {
		fprintf(stderr, "plugin_host: %s\n", dlerror());
		*plugin = NULL;
		return 1;
	}
	return run();
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "";
	const char *how = argc > 2 ? argv[2] : "";
	int status, turns = strcmp(how, "twice") ? 1 : 2;
	void *plugin;

	do {
		status = plugin_run(path, how, &plugin);
		if (plugin && turns > 1)
			dlclose(plugin);
	} while (plugin && !status && --turns);
	return status;
}
