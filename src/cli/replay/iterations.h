/* Iterations of a script: where it has no marks, they are found by what it
 * repeats. */
#ifndef MNM_REPLAY_ITERATIONS_H
#define MNM_REPLAY_ITERATIONS_H

#include "script.h"

/* Puts marks where the same requests and frees, of the same sizes, come again,
 * if that makes up a third of all, and there are no marks. Each stands where
 * the least is live. Returns false without memory. */
bool iterations_find(struct script *script);

#endif
