/* System calls that the headers of an old system lack; their numbers are the
 * same on every architecture. */
#ifndef MNM_SYSCALL_NUMBER_H
#define MNM_SYSCALL_NUMBER_H

#include <sys/syscall.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* A flag of close_range: first gives the calling thread a table of its own. */
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1u << 1)
#endif

#endif
