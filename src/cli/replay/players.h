/* What all players of a command have in common: their environment, which is
 * this process's from then on, and the pools that the command names. */
#ifndef MNM_REPLAY_PLAYERS_H
#define MNM_REPLAY_PLAYERS_H

#include <stddef.h>

#include "cli/cli.h"

struct player_pools {
	char *text, **names;
	size_t count;
};

/* Sets the environment for a simulated device of that profile, or `devices` of
 * them, and reads the pools' names, with commas; NULL: all of them. Returns
 * EXIT_DONE, or another status after a line that says what is wrong. The pools
 * are to be freed in either case. */
int players_prepare(const struct command *command,
		    const struct arguments *arguments, const char *profile,
		    int devices, const char *names, struct player_pools *pools);
void player_pools_free(struct player_pools *pools);

#endif
