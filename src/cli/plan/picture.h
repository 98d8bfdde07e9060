/* A plan as a picture: time from left to right, addresses upwards, a colour for
 * each class of buffers. */
#ifndef MNM_PICTURE_H
#define MNM_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "lifetimes.h"

/* Writes SVG. Buffers that are too thin for their own box are merged, so that
 * the picture stays small. Returns false if there is no memory. */
bool picture_write(FILE *out, const struct lifetimes *lifetimes,
		   const struct plan *plan, const char *name);

#endif
