/* The socket at which this process answers, and its clients. For one thread
 * only. */
#ifndef MNM_SERVER_H
#define MNM_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false if it can't; error says why in a line. */
bool server_open(char *error, size_t size);

/* Waits until a client is ready, or `wake` is readable if it is not -1, but no
 * longer than timeout_ms, and answers the clients. Returns false if the
 * listening socket is not ours any more. */
bool server_turn(int wake, int timeout_ms);

/* Clients that still wait get no answer. */
void server_close(void);

#endif
