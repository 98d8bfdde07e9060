/* Filters of system calls (seccomp). */
#ifndef MNM_SYSCALL_FILTER_H
#define MNM_SYSCALL_FILTER_H

#include <stdbool.h>

/* To be called when CUDA starts: notes which filters are in place by then. */
void syscall_filter_look(void);

/* Whether a filter may kill this process for one of the calls that few programs
 * make and the library would like to: membarrier, close_range, mq_getsetattr,
 * pidfd_open, pidfd_getfd, process_vm_readv, signalfd4. This is found out once.
 * A filter that the parent runs under as well is tried in a child. A filter of
 * the process's own may kill for anything, even for the trial, so it counts as
 * one that kills. A filter that is set later is not seen. */
bool syscall_filter_kills(void);

/* The same for the calls that a socket with a name takes. */
bool syscall_filter_kills_socket(void);

/* Whether the process has a filter of its own by now, which may kill for any
 * call: also one that was set late, as by a program that is about to read what
 * it does not trust. Found out anew each time. */
bool syscall_filter_is_own(void);

#endif
