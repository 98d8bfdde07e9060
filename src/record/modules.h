/* Which files the process has its code from, so that the addresses of code in a
 * recording can be named afterwards. Read from /proc/self/maps, as the loader's
 * own list has a lock that the program may hold. For one thread. */
#ifndef MNM_RECORD_MODULES_H
#define MNM_RECORD_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "build_id.h"

struct module {
	uint64_t start, end; /* addresses */
	uint64_t offset;     /* in the file, of the start */
	char *path;
	char build[BUILD_ID_SIZE]; /* or "" */
	struct module *next;
};

/* Whether the module of an address of code is known, or was looked for in
 * vain, as code may be of no file. */
bool modules_know(uint64_t site);

/* Whether its module is known. */
bool modules_have(uint64_t site);

/* Looks anew. Calls `each` for every module that was not known. */
void modules_look(void (*each)(const struct module *module));

/* Calls `each` for every one that is known. */
void modules_each(void (*each)(const struct module *module));

void modules_forget(void);

#endif
