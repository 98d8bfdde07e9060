/* The address at which this process listens. */
#ifndef MNM_LISTENER_H
#define MNM_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "guarded_fd.h"

/* Makes the folder and the socket. Returns false if it can't; error says why in
 * a line. */
bool listener_open(struct guarded_fd *listener, int backlog, char *error,
		   size_t size);

/* The path of the socket that listener_open made. */
const char *listener_path(void);

/* The folder that it is in. Returns false if size bytes are too few. */
bool listener_folder(char *folder, size_t size);

/* To be called in a thread with descriptors of its own: keeps the folder open,
 * so that listener_leave finds it wherever the program's root is by then. */
void listener_keep(void);

/* To be called in such a thread: removes what other processes left in the
 * folder. */
void listener_sweep(void);

/* Removes the socket's file, if this process made it. Returns false if the file
 * is not where it was, as in another root, or may not be removed. */
bool listener_unlink(void);

/* Does the same in the thread that called listener_keep. */
void listener_leave(void);

#endif
