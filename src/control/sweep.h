/* Sockets that nobody listens at any more, and what else is left of processes
 * that had them. */
#ifndef MNM_SWEEP_H
#define MNM_SWEEP_H

/* Removes the files in the folder that belonged to processes which ended
 * without running their exit handlers: by _exit, as in daemon(3), by a signal,
 * as another user, or as another program. To be called in the control thread,
 * with descriptors of its own. */
void sweep(const char *folder);

#endif
