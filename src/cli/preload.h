/* The order of the libraries that the loader is to load before a program's. */
#ifndef MNM_PRELOAD_H
#define MNM_PRELOAD_H

#include <limits.h>

/* The value of LD_PRELOAD with our library added to `before`, which is the
 * variable's value or NULL. Ours comes first, except for libraries that must
 * come before it: a sanitizer's runtime, which insists on it, and a library
 * that takes memory calls and finds the next one that does by the loader's
 * order, so that it would not be asked behind ours. To be freed; NULL if there
 * is no memory. */
char *preload_list(const char *library, const char *before);

/* Sets LD_PRELOAD so, with the library that is installed beside this program,
 * whose path is written. Returns EXIT_DONE, or EXIT_FAILED after a line that
 * says why not. */
int preload_set(char library[PATH_MAX]);

#endif
