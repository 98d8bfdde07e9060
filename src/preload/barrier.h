/* A full barrier that all threads of the process pass, by membarrier(2). */
#ifndef MNM_BARRIER_H
#define MNM_BARRIER_H

#include <stdbool.h>

/* To be called before the first one, and while the process has one thread, if
 * it can be: the kernel takes 10 ms and more to register one of several. False:
 * the kernel has no such barriers, or a filter of system calls forbids them. */
bool barrier_open(void);

/* Once it returns true every thread has passed one. False without
 * barrier_open: makes no call then that a filter may kill for. */
bool barrier_all(void);

#endif
