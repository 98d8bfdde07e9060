/* The pools that programs run on: each with its own backing, and each that
 * places its blocks with every other one as well. */
#ifndef TESTS_PROOF_CHOICE_H
#define TESTS_PROOF_CHOICE_H

#include <stdbool.h>

#include "random.h"

/* As MNM_POOL names them; the last is NULL. */
extern const char *const choices[];

/* Draws the index of one: a pool first, and then its backing, so that a pool
 * with several is not drawn more often. `whole`: of pools that take no more
 * than the pages that a request needs. */
unsigned choice_draw(struct random *random, bool whole);

/* The index of one that there is. */
unsigned choice_find(const char *name);

#endif
