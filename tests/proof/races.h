/* Races of two threads that a random schedule seldom meets. Each is run in
 * every way: the first thread is left at its n-th point, in some races the
 * second thread at its m-th as well, for all n and m. */
#ifndef TESTS_PROOF_RACES_H
#define TESTS_PROOF_RACES_H

#include <stdbool.h>

struct races {
	bool wanted;
	const char *name; /* of the only one to run, or NULL */
	bool every;       /* also run ways that come to the same, see ways.h */
};

/* Runs the races and prints a line for each. Returns false if one went
 * wrong. */
bool races_run(const struct races *races);

#endif
