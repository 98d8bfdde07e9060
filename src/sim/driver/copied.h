/* What copies bring to the host, as one number: MNM_SIM_COPIED=1. */
#ifndef SIM_COPIED_H
#define SIM_COPIED_H

#include <stdio.h>

struct copy;

/* Reads the environment, once. */
void copied_open(void);
/* Adds what a copy has brought from a device to the host. The order of copies
 * makes no difference. No lock is needed. */
void copied_add(const struct copy *copy);
/* Writes the report's line, if it is asked for. */
void copied_report(FILE *out);

#endif
