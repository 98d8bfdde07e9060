/* mnm replay: plays a recording with other pools. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "fit.h"
#include "iterations.h"
#include "launch.h"
#include "outcome.h"
#include "players.h"

enum { SCALE_MOST = 1000000 };

static int scale_read(struct replay *replay, const struct command *command,
		      const struct arguments *arguments)
{
	const char *bad;
	char *end;

	replay->scale = 1;
	if (arguments->scale) {
		replay->scale = strtod(arguments->scale, &end);
		if (*end || !isfinite(replay->scale) || replay->scale <= 0 ||
		    replay->scale > SCALE_MOST ||
		    !isdigit((unsigned char)*arguments->scale))
			return usage_error(command,
					   "--scale '%s'; allowed: a number "
					   "above 0, up to %d",
					   arguments->scale, SCALE_MOST);
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
	if (!scale_any(&replay->script))
		return failure("%s: nothing in it follows the batch; --scaled "
			       "SIZES says what does",
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

static int outcomes_make(struct replay *replay,
			 const struct player_pools *pools)
{
	replay->outcomes = calloc(pools->count, sizeof(*replay->outcomes));
	if (!replay->outcomes)
		return failure("no memory");
	for (size_t i = 0; i < pools->count; i++)
		replay->outcomes[i].pool = pools->names[i];
	replay->outcome_count = pools->count;
	return EXIT_DONE;
}

/* Reads what is to be played, and how. */
static int replay_read(struct replay *replay, const struct command *command,
		       const struct arguments *arguments,
		       struct player_pools *pools, char **damage)
{
	int status;

	if (!script_read(&replay->script, replay->path, damage))
		return EXIT_FAILED;
	if (arguments->streams.given)
		script_fold_streams(&replay->script,
				    (unsigned)arguments->streams.value);
	if (!iterations_find(&replay->script))
		return failure("no memory");
	status = scale_read(replay, command, arguments);
	if (!status)
		status = players_prepare(command, arguments, replay->device,
					 replay->script.devices,
					 arguments->pools, pools);
	return status ? status : outcomes_make(replay, pools);
}

static int replay_play(struct replay *replay, const struct command *command,
		       const struct arguments *arguments)
{
	struct player_pools pools = {0};
	char *damage = NULL;
	int status = replay_read(replay, command, arguments, &pools, &damage);

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
	player_pools_free(&pools);
	script_release(&replay->script);
	return status;
}

int replay_command(const struct command *command,
		   const struct arguments *arguments)
{
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
	return replay_play(&replay, command, arguments);
}
