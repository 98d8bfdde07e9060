/* The order of the libraries that the loader is to load before a program's. */
#ifndef MNM_PRELOAD_H
#define MNM_PRELOAD_H

/* LD_PRELOAD with ours among `before`, what the variable holds or NULL. First,
 * but for those that must come before it: a sanitizer's runtime, which insists
 * on it, and who takes memory calls and finds the next that does by the
 * loader's order, so that it is not asked behind us. To be freed; NULL: no
 * memory. */
char *preload_list(const char *library, const char *before);

#endif
