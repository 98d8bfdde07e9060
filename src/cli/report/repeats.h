/* The iterations of a recording without marks. */
#ifndef MNM_REPEATS_H
#define MNM_REPEATS_H

#include "cli/repetition.h"

/* Looks for what repeats in a recording; the borders are numbers of its events,
 * from 0. Without memory, nothing is found. */
void repeats_find(struct repetition *found, const char *path);

#endif
