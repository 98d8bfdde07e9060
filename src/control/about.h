/* What this process is, for those who ask. */
#ifndef MNM_ABOUT_H
#define MNM_ABOUT_H

#include <jansson.h>

/* Reads what about_json tells, and all else that answers take from files. To be
 * called once, before a thread answers, as it takes a descriptor. */
void about_open(void);

/* A new object with the schema's version, the process's pid, uid, program,
 * arguments and start. */
json_t *about_json(void);

#endif
