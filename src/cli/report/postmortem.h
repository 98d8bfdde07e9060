/* A post-mortem: what there was when a program's memory first ran out. */
#ifndef MNM_REPORT_POSTMORTEM_H
#define MNM_REPORT_POSTMORTEM_H

#include <stdbool.h>

#include "cli/cli.h"

/* Whether the file begins as JSON, which recordings do not. */
bool postmortem_is(const char *path);

/* Prints it. Returns what mnm is to return. */
int postmortem_report(const struct arguments *arguments);

#endif
