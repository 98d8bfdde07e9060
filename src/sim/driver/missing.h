/* What the program asked for and the simulation lacks, by name. */
#ifndef SIM_MISSING_H
#define SIM_MISSING_H

#include <stdio.h>

/* Counts a call of an entry that has no implementation. The lock is held. */
void missing_count(const char *name);
/* Writes a line for each name. The lock is held. */
void missing_report(FILE *out);

/* The same for an entry of the simulated runtime, which finds this function by
 * dlsym; and the log's line. The lock is not held. */
void sim_missing(const char *name);

#endif
