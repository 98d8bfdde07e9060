/* The largest batch that fits. */
#ifndef MNM_REPLAY_FIT_H
#define MNM_REPLAY_FIT_H

#include "outcome.h"

/* Looks for it by playing the script again and again, to one part in a hundred.
 * Sets outcome->fit, and the result to that of the largest that fits. Prints
 * what is wrong and returns false, also if a signal came. */
bool fit_find(const struct replay *replay, struct outcome *outcome);

#endif
