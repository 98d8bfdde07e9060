/* Loads a plug-in as Python loads an extension: local, so that the runtime it
 * brings along is in no global scope. Usage: plugin_host PLUGIN */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
	int (*run)(void) =
		plugin ? (int (*)(void))dlsym(plugin, "shell_run") : NULL;

	if (!run) {
		fprintf(stderr, "plugin_host: %s\n", dlerror());
		return 1;
	}
	return run();
}
