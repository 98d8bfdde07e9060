/* The control socket of this process: one thread that answers one-line
 * requests, as in src/common/protocol.h. It makes no CUDA call. */
#ifndef MNM_CONTROL_H
#define MNM_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the socket and starts the thread, once; to be called when the first
 * request has been served. A failure is logged, and the program goes on without
 * a socket. Leaves errno as it was. */
void control_open_once(void);

/* The folder of the sockets, where this process has its own. Opens it. Returns
 * false if there is none, or if others may enter it by now; error says so in a
 * line. */
bool control_folder(char *folder, size_t size, char *error, size_t error_size);

#endif
