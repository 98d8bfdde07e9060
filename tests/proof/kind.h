/* Kinds of programs: most meet a little of everything, the others much of what
 * one sort of race is made of. */
#ifndef TESTS_PROOF_KIND_H
#define TESTS_PROOF_KIND_H

#include "program.h"

/* Draws a program's kind. */
enum kind kind_draw(struct random *random);
/* That of a name; KIND_COUNT where there is none. */
enum kind kind_find(const char *name);
/* Draws a row of steps, by the weights that the program's kind gives them. */
const struct step_row *kind_row_draw(struct program *program);
/* For people. */
const char *kind_name(enum kind kind);

#endif
