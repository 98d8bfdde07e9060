/* A post-mortem: what there was when a program's memory first ran out. */
#ifndef MNM_REPORT_POSTMORTEM_H
#define MNM_REPORT_POSTMORTEM_H

#include <stdbool.h>

#include "cli/cli.h"

/* Whether the file begins as JSON, which recordings do not. */
bool postmortem_is(const char *path);

/* Prints it; of another device than -1, only if it is of that one. Returns what
 * mnm is to return. */
int postmortem_report(const struct arguments *arguments, int device);

#endif
