/* Commands of the control socket: a row each in commands.c. */
#ifndef MNM_COMMAND_H
#define MNM_COMMAND_H

#include <stddef.h>

/* An answer is one line of JSON with its newline, to be freed by the caller,
 * and *size is its length. It is NULL if there is no memory. */

/* Carries out one request line, without its newline, if its client, the other
 * end of the socket, still waits. */
char *command_run(const char *line, int client, size_t *size);

/* The answer to a request that is not carried out. */
char *command_refuse(const char *why, size_t *size);

/* The statistics, as the answer to `stat`. */
char *command_stat(size_t *size);

#endif
