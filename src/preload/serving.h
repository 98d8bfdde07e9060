/* Whether this process is served at all. */
#ifndef MNM_SERVING_H
#define MNM_SERVING_H

#include <stdbool.h>

/* False: disabled, misconfigured, or a forked child, where CUDA is unusable;
 * every call then goes to CUDA untouched. */
bool serving_is_on(void);

/* It is not, from now on. */
void serving_end(void);

/* Registers, once, that the child of a fork is left alone: CUDA is unusable
 * there. To be called before anything is remembered of the program. */
void serving_guard_fork(void);

/* What such a child calls as well, first. One function; set before that. */
void serving_child_calls(void (*function)(void));

#endif
