/* Filters of system calls (seccomp). */
#ifndef MNM_SYSCALL_FILTER_H
#define MNM_SYSCALL_FILTER_H

#include <stdbool.h>

/* Where CUDA starts: notes which filters there are by then. */
void syscall_filter_look(void);

/* Whether a filter may kill this process for a call that few programs make and
 * the library would like to: membarrier, close_range, mq_getsetattr,
 * pidfd_open, pidfd_getfd, process_vm_readv, signalfd4. Found out once. What
 * the parent runs under as well is tried in a child; a filter of the process's
 * own may kill for anything, for the trial itself too, and counts as one that
 * does. One that is set later is not seen. */
bool syscall_filter_kills(void);

/* The same, for the calls that a socket with a name takes. */
bool syscall_filter_kills_socket(void);

#endif
