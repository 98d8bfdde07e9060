/* The address at which this process listens. */
#ifndef MNM_LISTENER_H
#define MNM_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "guarded_fd.h"

/* Makes the folder and the socket. False: error says why in a line. */
bool listener_open(struct guarded_fd *listener, int backlog, char *error,
		   size_t size);

/* The path of the socket that listener_open made. */
const char *listener_path(void);

/* In a thread with descriptors of its own: keeps the folder, so that
 * listener_leave finds it wherever the program's root is by then. */
void listener_keep(void);

/* In such a thread: removes what others left in the folder. */
void listener_sweep(void);

/* Removes the socket's file, if this process made it. False: it is not where it
 * was, as in another root, or may not be removed. */
bool listener_unlink(void);

/* The same, in the thread that called listener_keep. */
void listener_leave(void);

#endif
