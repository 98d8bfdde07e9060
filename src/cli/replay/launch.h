/* Plays a script with one pool, to its end. */
#ifndef MNM_REPLAY_LAUNCH_H
#define MNM_REPLAY_LAUNCH_H

#include <stdbool.h>

#include "player_process.h"
#include "script.h"

/* A script as a player reads it: a file without a name. */
struct steps_file {
	int fd;
	uint64_t count; /* of steps */
};

/* With the sizes that follow the batch multiplied by `scale`. Prints what is
 * wrong, and returns false. */
bool steps_open(struct steps_file *steps, const struct script *script,
		double scale);
void steps_close(struct steps_file *steps);

/* Plays them with that pool; the rest of the environment is ready. Shows its
 * progress, behind `title`, if stderr is a terminal. Prints what is wrong and
 * returns false, also if a signal came (cli/progress.h), or the player failed
 * but for a device that is full. */
bool player_run(const struct steps_file *steps, const char *pool,
		const char *title, struct player_result *result);

#endif
