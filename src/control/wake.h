/* Wakes the control thread out of its wait, from a thread that shares no
 * descriptor with it. */
#ifndef MNM_WAKE_H
#define MNM_WAKE_H

#include "own_fd.h"

/* In the control thread: what it waits for; fd -1 where there is none. */
struct own_fd wake_open(void);

/* Takes what woke it away; false: nothing did. Anybody may send that. */
bool wake_take(const struct own_fd *wake);

/* In any thread. */
void wake_send(void);

#endif
