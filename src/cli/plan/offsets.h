/* A plan as CSV. */
#ifndef MNM_OFFSETS_H
#define MNM_OFFSETS_H

#include <stdio.h>

#include "lifetimes.h"

/* Writes the lifetimes as they were planned, and the offset of each. */
void offsets_write(FILE *out, const struct lifetimes *lifetimes,
		   const struct plan *plan);

#endif
