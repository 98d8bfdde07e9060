/* The environment of a program: mnm's options and the simulation's. */
#ifndef TESTS_PROOF_SETTING_H
#define TESTS_PROOF_SETTING_H

#include "program.h"

/* If the caller wishes for a pool or a level but for no kind, programs are
 * MIXED. */
void setting_draw(struct setting *setting, uint64_t seed,
		  const struct wish *wish);
/* Sets the environment. To be called before the driver is loaded. */
void setting_apply(const struct setting *setting, uint64_t seed, int devices);
void setting_print(const struct setting *setting);

#endif
