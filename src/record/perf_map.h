/* Names of code that is of no file, as it was made while the program ran. The
 * program writes them into a perf map, /tmp/perf-PID.map, for Linux's perf: a
 * line START SIZE NAME for each function. CPython does if it is asked to, and
 * so do Node and agents of Java. For one thread. */
#ifndef MNM_RECORD_PERF_MAP_H
#define MNM_RECORD_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* The text: a file, a tab, and a function. It stays until perf_map_forget. */
typedef void perf_map_each_function(uint64_t site, const char *text);

/* Whether it is known which file has the code at that address, as modules_know.
 * If none has, its name is looked for. */
bool perf_map_meet(uint64_t site);

/* Begins to read the map, if it may have what is asked for. */
void perf_map_look(void);

/* Reads on for a few milliseconds. At the end, calls `each` for every address
 * that has a name now. Returns whether there is more to read. */
bool perf_map_read(perf_map_each_function *each);

/* Reads all that there is. */
void perf_map_end(perf_map_each_function *each);

/* Calls `each` for every address that has a name. */
void perf_map_each(perf_map_each_function *each);

void perf_map_forget(void);

/* In a forked child: the map was the parent's. */
void perf_map_drop(void);

#endif
