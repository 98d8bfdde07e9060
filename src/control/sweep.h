/* Sockets that nobody listens at any more. */
#ifndef MNM_SWEEP_H
#define MNM_SWEEP_H

/* Removes from the folder the files of processes that have gone without a
 * handler of their exit: by _exit, as in daemon(3), by a signal, as another
 * user, or as another program. In the control thread, with descriptors of its
 * own. */
void sweep(const char *folder);

#endif
