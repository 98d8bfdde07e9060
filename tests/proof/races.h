/* Races of two threads that a random schedule seldom meets, each in every way:
 * the first thread is left at its n-th point, in some the second, too, at its
 * m-th, for all n and m. */
#ifndef TESTS_PROOF_RACES_H
#define TESTS_PROOF_RACES_H

#include <stdbool.h>

/* Runs them, that of one name (NULL: all), and prints a line for each. False:
 * one went wrong. */
bool races_run(const char *name);

#endif
