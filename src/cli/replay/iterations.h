/* Iterations of a script: where it has no marks, they are found by what it
 * repeats. */
#ifndef MNM_REPLAY_ITERATIONS_H
#define MNM_REPLAY_ITERATIONS_H

#include "script.h"

/* Puts marks where iterations begin, and where the last one ends, if there are
 * no marks. Returns false without memory. */
bool iterations_find(struct script *script);

#endif
