/* A full barrier that all threads of the process pass, by membarrier(2). */
#ifndef MNM_BARRIER_H
#define MNM_BARRIER_H

#include <stdbool.h>

/* To be called before the first barrier_all, and while the process has one
 * thread if possible: with several threads the kernel takes 10 ms and more to
 * register the process. Returns false if the kernel has no such barriers, or if
 * a filter of system calls forbids them. */
bool barrier_open(void);

/* If it returns true, every thread has passed a barrier. Returns false, without
 * a system call that a filter may kill for, if barrier_open was not called or
 * returned false. */
bool barrier_all(void);

/* Whether barrier_all can be relied on, as far as is known. */
bool barrier_is_open(void);

#endif
