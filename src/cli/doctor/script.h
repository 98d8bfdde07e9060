/* A script's first line. */
#ifndef MNM_SCRIPT_H
#define MNM_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/* The name or path of what runs the script; of `#!/usr/bin/env NAME`, NAME.
 * False: it has no such line. */
bool script_interpreter(const char *path, char *name, size_t size);

#endif
