/* The simulated device that is installed beside this program. */
#ifndef MNM_SIMULATION_H
#define MNM_SIMULATION_H

#include <stdbool.h>

struct command;

/* Whether it is a profile's name, the path of one, or bytes. */
bool simulation_knows(const char *profile);

/* Sets the environment so that programs find that device. Returns EXIT_DONE, or
 * another status after a line that says what is wrong. */
int simulation_set(const struct command *command, const char *profile);

/* A plug-in may be linked to CUDA, which the loader of this process does not
 * know: loads the simulated one. */
void simulation_load(void);

#endif
