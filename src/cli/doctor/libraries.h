/* The libraries that a program names. */
#ifndef MNM_LIBRARIES_H
#define MNM_LIBRARIES_H

#include "report.h"

/* Asks the given loader, which has to be this program's own, for all that
 * the program would be loaded with. The loader maps the files for that and
 * runs nothing of them. */
void libraries_check(struct report *report, const char *path,
		     const char *loader);

#endif
