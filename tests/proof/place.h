/* Objects that bring others along. The step makes them. */
#ifndef TESTS_PROOF_PLACE_H
#define TESTS_PROOF_PLACE_H

#include "program.h"

int place_stream(struct program *program, const struct step *step, int context,
		 enum stream_kind kind, int thread);
/* With its legacy stream, and one for each thread. */
/* A device's contexts that are there at the start. */
void place_device(struct program *program, const struct step *step, int device);
int place_context(struct program *program, const struct step *step, int device,
		  bool primary);

#endif
