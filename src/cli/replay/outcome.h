/* What became of a script with each pool, and how it is told. */
#ifndef MNM_REPLAY_OUTCOME_H
#define MNM_REPLAY_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "player.h"
#include "scale.h"
#include "script.h"

enum { FIT_MOST = 65536 }; /* no larger scale is tried */

struct outcome {
	const char *pool;
	struct player_result result;
	bool searched; /* for what fits: */
	double fit;    /* the largest scale that does; 0: not even the rest */
};

/* What all of them have in common. */
struct replay {
	const char *path, *device;
	struct script script;
	double scale;
	enum scale_rule rule; /* if `scales` */
	bool scales;          /* some sizes follow the batch */
	struct outcome *outcomes;
	size_t outcome_count;
};

/* Prints a table, or JSON. */
void replay_print(const struct replay *replay);
void replay_print_json(const struct replay *replay);

#endif
