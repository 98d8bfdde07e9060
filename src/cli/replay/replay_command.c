/* mnm replay: plays a recording with other pools. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/install_path.h"
#include "cli/plugins.h"
#include "cli/preload.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "cli/simulation.h"
#include "common/pool_list.h"
#include "fit.h"
#include "iterations.h"
#include "launch.h"
#include "outcome.h"

/* Options that players have, unless they are told otherwise: the same file
 * gives the same figures in each run, and nobody else sees players. */
static const char *const player_options[][2] = {
	{"plan_thread", "0"}, /* */
	{"device_idle", "0"},
	{"host_idle", "0"},
	{"socket_dir", "/dev/null/mnm"},
	{"log", "none"},
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

/* Makes an outcome for each pool, whose names lie in `names`, which is
 * changed. */
static int pools_read(struct replay *replay, struct settings *settings,
		      char *names)
{
	char *name;

	while ((name = strsep(&names, ","))) {
		if (strchr(name, ':'))
			return usage_error(settings->command,
					   "--pool '%s'; allowed: names of "
					   "pools, with commas",
					   name);
		if (settings_option(settings, "pool", name))
			return EXIT_USAGE;
		replay->outcomes[replay->outcome_count++].pool = name;
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

static int scale_read(struct replay *replay, const struct command *command,
		      const struct arguments *arguments)
{
	const char *bad;
	char *end;

	replay->scale = 1;
	if (arguments->scale) {
		replay->scale = strtod(arguments->scale, &end);
		if (*end || !isfinite(replay->scale) || replay->scale <= 0 ||
		    !isdigit((unsigned char)*arguments->scale))
			return usage_error(command,
					   "--scale '%s'; allowed: a number "
					   "above 0",
					   arguments->scale);
	}
	replay->scales =
		arguments->scale || arguments->scaled || arguments->fit;
	if (!replay->scales)
		return EXIT_DONE;
	if (!scale_find(&replay->script, arguments->scaled, &replay->rule,
			&bad))
		return bad ? usage_error(command,
					 "--scaled: '%s'; allowed: bytes with "
					 "K, M or G, or ranges of them, as "
					 "64K-1M,4M-",
					 bad)
			   : failure("no memory");
	if (replay->rule == SCALE_UNKNOWN)
		return failure("%s: it has no iterations, so --scaled has to "
			       "say which sizes follow the batch",
			       replay->path);
	return EXIT_DONE;
}

/* Plays the script with each pool. */
static int outcomes_find(struct replay *replay, bool fit)
{
	struct steps_file steps;
	bool good = steps_open(&steps, &replay->script, replay->scale);

	for (size_t i = 0; good && i < replay->outcome_count; i++) {
		struct outcome *outcome = &replay->outcomes[i];

		good = fit ? fit_find(replay, outcome)
			   : player_run(&steps, outcome->pool, outcome->pool,
					&outcome->result);
	}
	steps_close(&steps);
	if (stop_came())
		return EXIT_STOPPED;
	return good ? EXIT_DONE : EXIT_FAILED;
}

static int environment_set(struct settings *settings,
			   const struct replay *replay,
			   const struct arguments *arguments)
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
		status = simulation_set(settings->command, replay->device);
	snprintf(number, sizeof(number), "%d", replay->script.devices);
	setenv("MNM_SIM_DEVICES", number, 1);
	if (!status && !install_path_find("sim/work.kernels.so", path))
		return failure("no sim/work.kernels.so beside this program");
	if (!status)
		setenv("MNM_SIM_KERNELS", path, 1);
	return status ? status : preload_set(path);
}

/* Reads what is to be played, and how. */
static int replay_read(struct replay *replay, struct settings *settings,
		       const struct arguments *arguments, char **names,
		       char **damage)
{
	int status;

	if (!script_read(&replay->script, replay->path, damage))
		return EXIT_FAILED;
	if (arguments->streams.given)
		script_fold_streams(&replay->script,
				    (unsigned)arguments->streams.value);
	if (!iterations_find(&replay->script))
		return failure("no memory");
	status = scale_read(replay, settings->command, arguments);
	if (!status)
		status = environment_set(settings, replay, arguments);
	if (status)
		return status;
	plugins_use();
	*names = arguments->pools ? strdup(arguments->pools) : pools_all();
	if (*names)
		replay->outcomes =
			calloc(strlen(*names) + 1, sizeof(*replay->outcomes));
	if (!replay->outcomes)
		return failure("no memory");
	return pools_read(replay, settings, *names);
}

static int replay_play(struct replay *replay, struct settings *settings,
		       const struct arguments *arguments)
{
	char *names = NULL, *damage = NULL;
	int status = replay_read(replay, settings, arguments, &names, &damage);

	stop_watch();
	if (!status)
		status = outcomes_find(replay, arguments->fit);
	if (!status && arguments->json)
		replay_print_json(replay);
	else if (!status)
		replay_print(replay);
	if (!status && damage)
		status = failure("what follows is lost: %s", damage);
	free(damage);
	free(replay->outcomes);
	free(names);
	script_release(&replay->script);
	return status;
}

int replay_command(const struct command *command,
		   const struct arguments *arguments)
{
	struct settings settings = {.command = command, .simulated = true};
	struct replay replay = {
		.path = arguments->replayed,
		.device = arguments->simulated ? arguments->simulated : "t4",
	};

	if (arguments->play)
		return player_play();
	if (arguments->scale && arguments->fit)
		return usage_error(command, "--scale and --fit: one of them");
	if (arguments->streams.value > SCRIPT_STREAMS)
		return usage_error(command, "--streams %llu; allowed: 0 to %d",
				   (unsigned long long)arguments->streams.value,
				   SCRIPT_STREAMS);
	config_init(&settings.config);
	return replay_play(&replay, &settings, arguments);
}
