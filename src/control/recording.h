/* Recordings of this process (src/record), as options and commands make them.
 * For the control thread, but for recording_expect and recording_leave. */
#ifndef MNM_RECORDING_H
#define MNM_RECORDING_H

#include <stdbool.h>

#include <jansson.h>

/* Begins the recording that the options ask for, if they do; or says why that
 * can't be, if there is no control thread. */
void recording_open(void);
void recording_cannot(const char *why);

/* How long the control thread may wait until the next turn, if there is no
 * recording so long as `otherwise`; and what it does in each. */
int recording_turn_ms(int otherwise);
void recording_turn(void);

/* The control thread leaves. */
void recording_close(void);

/* By a thread in which the process exits: waits until the recording is in its
 * file, two seconds at most. */
void recording_leave(void);

/* In a forked child. */
void recording_forget(void);

/* What is recorded, for `stat`; NULL: nothing is, nor was. */
json_t *recording_json(void);

#endif
