/* Races of two threads that a random schedule seldom meets. Each is run in
 * every way: the first thread is left at its n-th point, in some races the
 * second thread at its m-th as well, for all n and m. */
#ifndef TESTS_PROOF_RACES_H
#define TESTS_PROOF_RACES_H

#include <stdbool.h>

/* Runs the race of this name, or all if it is NULL, and prints a line for each.
 * Returns false if one went wrong. */
bool races_run(const char *name);

#endif
