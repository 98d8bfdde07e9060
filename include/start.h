/* When the library comes to life: not before the first request. */
#ifndef MNM_START_H
#define MNM_START_H

#include <stdbool.h>

/* Reads the options, once. False: stay out of the way. */
bool config_once(void);

/* At the first request, after config_once: opens the control socket. Cheap
 * after that. */
void start_once(void);

/* Registers what has to happen at a fork; before anything is remembered. */
void start_fork_guard(void);

#endif
