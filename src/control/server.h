/* The socket at which this process answers, and its clients. One thread only.
 */
#ifndef MNM_SERVER_H
#define MNM_SERVER_H

#include <stdbool.h>
#include <stddef.h>

/* False: error says why in a line. */
bool server_open(char *error, size_t size);

/* Waits for clients, and for `wake`, if it is not -1, to be readable, at
 * most so long, and answers. False: the listening socket is not ours any more.
 */
bool server_turn(int wake, int timeout_ms);

/* Clients that wait get no answer. */
void server_close(void);

#endif
