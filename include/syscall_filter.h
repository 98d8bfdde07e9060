/* Filters of system calls (seccomp). */
#ifndef MNM_SYSCALL_FILTER_H
#define MNM_SYSCALL_FILTER_H

#include <stdbool.h>

/* Whether a filter may kill this process for a call that few programs make and
 * the library would like to: membarrier, close_range, mq_getsetattr,
 * pidfd_open, pidfd_getfd, process_vm_readv. Found out once, in a child, and
 * only where there is a filter. A filter that is set later is not seen. */
bool syscall_filter_kills(void);

/* The same, for the calls that a socket with a name takes. */
bool syscall_filter_kills_socket(void);

#endif
