/* Makes objects that come with others. The step is the one that makes them. */
#ifndef TESTS_PROOF_PLACE_H
#define TESTS_PROOF_PLACE_H

#include "program.h"

int place_stream(struct program *program, const struct step *step, int context,
		 enum stream_kind kind, int thread);
/* Makes the contexts of a device that exist at the start. */
/* Makes a context with its legacy stream, and with one stream for each
 * thread. */
void place_device(struct program *program, const struct step *step, int device);
int place_context(struct program *program, const struct step *step, int device,
		  bool primary);

#endif
