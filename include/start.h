/* When the library comes to life: not before the first request. */
#ifndef MNM_START_H
#define MNM_START_H

#include <stdbool.h>

/* Reads the options, once. False: stay out of the way. */
bool config_once(void);

/* At the first request: reads the options, opens the control socket. False:
 * stay out of the way. Cheap after that. */
bool start_once(void);

/* Registers what has to happen at a fork; before anything is remembered. */
void start_fork_guard(void);

#endif
