/* Programs whose requests repeat. */
#ifndef TESTS_PROOF_LAPS_H
#define TESTS_PROOF_LAPS_H

#include "program.h"

/* Draws the steps of a program of kind LAPS, but for its end. */
void laps_draw(struct program *program);

#endif
