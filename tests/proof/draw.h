/* Adds steps to a program. */
#ifndef TESTS_PROOF_DRAW_H
#define TESTS_PROOF_DRAW_H

#include "program.h"

/* Adds a step of this row, if it is legal now. A row whose draw() returns false
 * has changed nothing. */
bool step_add(struct program *program, const struct step_row *row, int thread);

/* The same in two calls, where the row's own draw() does not choose: the step
 * to fill in, or NULL if there is no room for one more; then it counts. */
struct step *step_next(struct program *program, const struct step_row *row,
		       int thread);
void step_keep(struct program *program, const struct step *step);

#endif
