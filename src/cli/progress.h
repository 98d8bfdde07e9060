/* Long work of a command: what it shows meanwhile, and that it ends when it is
 * told to. */
#ifndef MNM_PROGRESS_H
#define MNM_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* SIGINT, SIGTERM and SIGHUP do not end this process from now on, but the first
 * of them makes stop_came true. The second one ends it. One that is ignored
 * stays so. */
void stop_watch(void);
bool stop_came(void);

/* The same, but no further one ends it: for who has something to put back, and
 * waits for nothing without looking at stop_came. */
void stop_watch_all(void);

/* Whether stderr is a terminal on which a line can be written over. */
bool progress_obeys(void);

/* Removes the line that was written there. */
void progress_clear(void);

int64_t progress_ms(void);

#endif
