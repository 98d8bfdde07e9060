/* Wakes the control thread out of its wait, from a thread that shares no
 * descriptor, no root and no network with it, and may open none. */
#ifndef MNM_WAKE_H
#define MNM_WAKE_H

#include <stdbool.h>

/* In the control thread, which has all signals blocked: a descriptor that is
 * readable once it is to wake; -1: none. */
int wake_open(void);

/* In the control thread: whether the descriptor is readable. Signals that the
 * whole process blocks and somebody sent to it make it so, too. */
bool wake_came(void);

/* In any thread, after wake_open. */
void wake_send(void);

#endif
