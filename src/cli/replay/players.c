#include "players.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/install_path.h"
#include "cli/plugins.h"
#include "cli/preload.h"
#include "cli/settings.h"
#include "cli/simulation.h"
#include "common/pool_list.h"

/* Options that players have, unless they are told otherwise: the same file
 * gives the same figures in each run, and nobody else sees players. */
static const char *const player_options[][2] = {
	{"plan_thread", "0"}, /* */
	{"device_idle", "0"},
	{"host_idle", "0"},
	{"socket_dir", "/dev/null/mnm"},
	{"log", "none"},
	{"postmortem", "off"},
};

/* What the environment says is for programs and not for players; but plug-ins
 * bring pools. */
static void environment_clear(void)
{
	extern char **environ;
	char name[128];

	for (char **at = environ; *at;) {
		size_t length = strcspn(*at, "=");

		if (strncmp(*at, "MNM_", 4) || length >= sizeof(name) ||
		    !strncmp(*at, "MNM_POOL_PLUGINS=", 17)) {
			at++;
			continue;
		}
		memcpy(name, *at, length);
		name[length] = '\0';
		unsetenv(name);
	}
}

/* Divides the text into names. */
static int pools_read(struct player_pools *pools, struct settings *settings)
{
	char *rest = pools->text, *name;

	while ((name = strsep(&rest, ","))) {
		if (strchr(name, ':'))
			return usage_error(settings->command,
					   "--pool '%s'; allowed: names of "
					   "pools, with commas",
					   name);
		if (settings_option(settings, "pool", name))
			return EXIT_USAGE;
		pools->names[pools->count++] = name;
	}
	return EXIT_DONE;
}

/* The names of all pools, with commas; NULL without memory. To be freed. */
static char *pools_all(void)
{
	char *names = NULL;
	size_t size;
	FILE *out = open_memstream(&names, &size);

	for (const struct pool_row *row = pool_rows; out && row->name; row++)
		fprintf(out, "%s%s", row == pool_rows ? "" : ",", row->name);
	if (out)
		fclose(out);
	return names;
}

static int environment_set(struct settings *settings, const char *profile,
			   int devices, const struct arguments *arguments)
{
	char path[PATH_MAX], number[16];
	int status = EXIT_DONE;

	environment_clear();
	for (size_t i = 0; i < sizeof(player_options) / sizeof(*player_options);
	     i++)
		if (settings_option(settings, player_options[i][0],
				    player_options[i][1]))
			return EXIT_FAILED;
	status = settings_read(settings, arguments);
	if (!status)
		status = simulation_set(settings->command, profile);
	snprintf(number, sizeof(number), "%d", devices);
	setenv("MNM_SIM_DEVICES", number, 1);
	if (!status && !install_path_find("sim/work.kernels.so", path))
		return failure("no sim/work.kernels.so beside this program");
	if (!status)
		setenv("MNM_SIM_KERNELS", path, 1);
	return status ? status : preload_set(path);
}

int players_prepare(const struct command *command,
		    const struct arguments *arguments, const char *profile,
		    int devices, const char *names, struct player_pools *pools)
{
	struct settings settings = {.command = command, .simulated = true};
	char name[32];
	int status;

	config_init(&settings.config);
	status = environment_set(&settings, profile, devices, arguments);
	if (status)
		return status;
	plugins_use();
	pools->text = names ? strdup(names) : pools_all();
	if (pools->text)
		pools->names =
			calloc(strlen(pools->text) + 1, sizeof(*pools->names));
	if (!pools->names)
		return failure("no memory");
	status = pools_read(pools, &settings);
	snprintf(name, sizeof(name), "mnm %s", command->name);
	if (!status)
		plugins_print(name); /* or else they are told already */
	return status;
}

void player_pools_free(struct player_pools *pools)
{
	free(pools->text);
	free(pools->names);
	*pools = (struct player_pools){0};
}
