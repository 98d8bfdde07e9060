/* Commands of the control socket: a row each in commands.c. */
#ifndef MNM_COMMAND_H
#define MNM_COMMAND_H

#include <stddef.h>

/* Runs one request line, without its newline, if its client, the other end of
 * the socket, still waits. Returns the whole answer, to be freed by the caller;
 * NULL without memory. *size is its length. */
char *command_run(char *line, int client, size_t *size);

/* The statistics as one line of JSON, to be freed; NULL without memory. */
char *command_stat_json(void);

#endif
