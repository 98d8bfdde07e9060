#include "simulation.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "common/option.h"
#include "install_path.h"

enum { DEVICE_LEAST = 2 << 20 }; /* bytes that a simulated device needs */

/* Puts path before what the variable holds. */
static int variable_prepend(const char *name, const char *path)
{
	const char *before = getenv(name);
	char *joined;

	if (asprintf(&joined, "%s%s%s", path, before && *before ? ":" : "",
		     before ? before : "") < 0)
		return EXIT_FAILED;
	setenv(name, joined, 1);
	free(joined);
	return EXIT_DONE;
}

bool simulation_knows(const char *profile)
{
	char name[128], path[PATH_MAX];
	size_t bytes;

	snprintf(name, sizeof(name), "sim/profiles/%.100s.profile", profile);
	return size_parse(profile, &bytes) || install_path_find(name, path) ||
	       (strchr(profile, '/') && !access(profile, R_OK));
}

int simulation_set(const struct command *command, const char *profile)
{
	char path[PATH_MAX], bytes[32];
	size_t size = DEVICE_LEAST;

	if (size_parse(profile, &size) && size < DEVICE_LEAST) {
		error_print("mnm %s: a device of '%s' is too small; allowed: "
			    "2M and more",
			    command->name, profile);
		fputc('\n', stderr);
		return EXIT_USAGE;
	}
	if (!simulation_knows(profile)) {
		error_print("mnm %s: unknown profile '%s'; known: t4, a100, "
			    "h200, ideal, bytes such as 8G, or a readable "
			    "file's path",
			    command->name, profile);
		fputc('\n', stderr);
		return EXIT_USAGE;
	}
	if (!install_path_find("sim", path))
		return failure("no simulated device beside this program");
	if (strpbrk(path, ":;"))
		return failure("the loader can't find %s, for its : or ;",
			       path);
	if (size_parse(profile, &size)) { /* the device knows fewer spellings */
		snprintf(bytes, sizeof(bytes), "%zu", size);
		profile = bytes;
	}
	setenv("MNM_SIM", profile, 1);
	return variable_prepend("LD_LIBRARY_PATH", path);
}

/* A plug-in may be linked to CUDA. The program finds that in a folder which the
 * loader of this process does not know. */
void simulation_load(void)
{
	static const char *const files[] = {"sim/libcuda.so.1",
					    "sim/libcudart.so.13"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (install_path_find(files[i], path))
			dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}
