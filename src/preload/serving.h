/* Whether this process is served at all. */
#ifndef MNM_SERVING_H
#define MNM_SERVING_H

#include <stdbool.h>

/* Returns false if mnm is disabled or misconfigured, in a setuid program, and
 * in a forked child, where CUDA is unusable. Every call then goes to CUDA
 * untouched. */
bool serving_is_on(void);

/* From now on the process is not served. */
void serving_end(void);

/* Registers, once, that the child of a fork is not served, as CUDA is unusable
 * there. To be called before anything is remembered about the program. */
void serving_guard_fork(void);

/* The function that such a child calls first. There is only one; to be set
 * before the fork. */
void serving_child_calls(void (*function)(void));

#endif
