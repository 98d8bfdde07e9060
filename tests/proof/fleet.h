/* Runs many programs, each in a child of this process. The process itself never
 * touches CUDA. */
#ifndef TESTS_PROOF_FLEET_H
#define TESTS_PROOF_FLEET_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"

struct fleet {
	uint64_t first;
	unsigned long count; /* 0 means until it is interrupted */
	int jobs;
	bool native, verbose;
	struct wish wish;
	struct tally sum;
};

/* Runs them and reports each failure. Returns false if there was one. */
bool fleet_run(struct fleet *fleet);

#endif
