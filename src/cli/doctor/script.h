/* A script's first lines. */
#ifndef MNM_SCRIPT_H
#define MNM_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name or path of what runs the script; for `#!/usr/bin/env NAME`,
 * NAME, and for one of pip's that names a Python in its second line, that.
 * Returns false if the script has no such line. */
bool script_interpreter(const char *path, char *name, size_t size);

#endif
