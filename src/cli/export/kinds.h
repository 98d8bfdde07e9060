/* The kinds of a recording's events, as CSV names them. */
#ifndef MNM_EXPORT_KINDS_H
#define MNM_EXPORT_KINDS_H

#include <mnm/record.h>

extern const char *const record_kinds[MNM_RECORD_KINDS];

#endif
