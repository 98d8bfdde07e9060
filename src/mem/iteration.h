/* Where a program's iterations begin, as somebody tells of them: the program
 * itself, whoever asks over the control socket, or the names of its NVTX ranges
 * (option iteration). */
#ifndef MNM_ITERATION_H
#define MNM_ITERATION_H

#include <stdbool.h>

/* To be called once, as options are read. */
void iterations_open(const char *option);

/* The rest is valid after config_once. */

/* The next iteration begins, on all devices. */
void iteration_begin(void);

/* Whether names of NVTX ranges tell of iterations, and whether this one does.
 */
bool iterations_are_named(void);
bool iteration_is_named(const char *range);

#endif
