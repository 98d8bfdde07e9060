/* A post-mortem as text. */
#ifndef MNM_REPORT_POSTMORTEM_PRINT_H
#define MNM_REPORT_POSTMORTEM_PRINT_H

#include <jansson.h>

struct postmortem_held;

void postmortem_print(const json_t *told, const struct postmortem_held *held);

#endif
