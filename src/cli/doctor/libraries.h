/* The libraries that a program names. */
#ifndef MNM_LIBRARIES_H
#define MNM_LIBRARIES_H

#include "report.h"

/* Asks the given loader, which has to be this program's own, for all that the
 * program would be loaded with. For this the loader maps the files, and runs
 * nothing in them. */
void libraries_check(struct report *report, const char *path,
		     const char *loader);

#endif
