/* Kinds of programs. Most programs do a little of everything. The others repeat
 * what leads to one sort of race. */
#ifndef TESTS_PROOF_KIND_H
#define TESTS_PROOF_KIND_H

#include "program.h"

/* Draws a program's kind. */
enum kind kind_draw(struct random *random);
/* Returns the kind of this name, or KIND_COUNT if there is none. */
enum kind kind_find(const char *name);
/* Draws a row, by the weights that the program's kind gives to the rows. */
const struct step_row *kind_row_draw(struct program *program);
/* The name to print. */
const char *kind_name(enum kind kind);

#endif
