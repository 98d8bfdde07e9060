/* Loads a plug-in as Python loads an extension: local, so that the runtime it
 * brings along is in no global scope. Usage: plugin_host PLUGIN [HOW], of which
 * deepbind lets the plug-in's own libraries come first for it, apart loads all
 * of them a second time, and twice closes it after use and opens it again. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Returns the plug-in's own result; *plugin is NULL if it is not there. */
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
