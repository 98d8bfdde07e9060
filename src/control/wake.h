/* Wakes the control thread out of its wait, from a thread that shares no
 * descriptor, no root and no network with it, and may open none. */
#ifndef MNM_WAKE_H
#define MNM_WAKE_H

#include <stdbool.h>

/* To be called in the control thread, which has all signals blocked. Returns a
 * descriptor that is readable once the thread is to wake, or -1 if there is
 * none. */
int wake_open(void);

/* To be called in the control thread: whether the descriptor is readable. It is
 * also readable if somebody sent the signal to the whole process, which blocks
 * it. */
bool wake_came(void);

/* Wakes the control thread. To be called in any thread, after wake_open. */
void wake_send(void);

#endif
