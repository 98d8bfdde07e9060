/* The control socket as both sides know it.
 *
 * A request is one line of words, at most REQUEST_MAX bytes with its newline:
 *
 *	COMMAND [--json] [--device N] [WORD ...]
 *
 * The answer is text, or JSON with --json, up to the end of the stream; one
 * that starts with "error: " says what was wrong, and nothing has changed.
 * `help` lists the commands. One request a connection. */
#ifndef MNM_PROTOCOL_H
#define MNM_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>

#define REQUEST_MAX   1024    /* bytes */
#define SOCKET_SUFFIX ".sock" /* after the pid */

/* The folder of a user's sockets: `chosen` if it is not empty (MNM_SOCKET_DIR),
 * else $XDG_RUNTIME_DIR/mnm if $XDG_RUNTIME_DIR is a folder of the user's, else
 * /tmp/mnm-UID. False: too long for a socket's
 * address, which has 108 bytes. */
bool socket_dir(const char *chosen, char *path, size_t size);

/* The socket's path in that folder. False: too long. */
bool socket_path(const char *dir, int pid, char *path, size_t size);

/* Whether the folder is the caller's own, mode 0700, and no link. error holds
 * one line if not. */
bool socket_dir_check(const char *dir, char *error, size_t size);

#endif
