/* The address at which this process listens. */
#ifndef MNM_LISTENER_H
#define MNM_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "own_fd.h"

/* Makes the folder and the socket. False: error says why in a line. */
bool listener_open(struct own_fd *listener, int backlog, char *error,
		   size_t size);

/* The path of the socket that listener_open made. */
const char *listener_path(void);

/* Removes the socket's file, if this process made it. */
void listener_unlink(void);

#endif
