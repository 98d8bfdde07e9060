/* The control socket as both sides know it.
 *
 * A request is one line, at most REQUEST_MAX bytes with its newline: a JSON
 * object whose fields hold texts and numbers.
 *
 *	{"command":"swap","pool":"no_pool","device":0,"until":1763810000000}
 *
 * The answer is one line as well, up to the end of the stream: a JSON object
 * with "schema". If it has "error", a text, that says what was wrong, and
 * nothing has changed. The command help lists the commands and their fields. A
 * field that a command does not have is an error. One request a connection.
 *
 * A request is carried out only while its client waits: not once that has
 * closed its end, and not after the time of "until", milliseconds since 1970
 * by the clock that all processes of a machine share (CLOCK_REALTIME; others
 * may differ between containers). A process may be stopped for hours between
 * the two. */
#ifndef MNM_PROTOCOL_H
#define MNM_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Of what answers hold; a new number where a field changes its meaning. `mnm`
 * takes an answer of another number for one that it does not understand. */
#define ANSWER_SCHEMA 1

#define REQUEST_MAX   1024    /* bytes */
#define SOCKET_SUFFIX ".sock" /* after the pid */
#define SOCKET_ASIDE  ".old"  /* one that is being looked at; of who looks */

/* The folder of a user's sockets: `chosen` if it is not empty (MNM_SOCKET_DIR),
 * else $XDG_RUNTIME_DIR/mnm if $XDG_RUNTIME_DIR is a folder of the user's, else
 * /tmp/mnm-UID. False: too long for a socket's
 * address, which has 108 bytes. */
bool socket_dir(const char *chosen, char *path, size_t size);

/* Where somebody else has made /tmp/mnm-UID first: /tmp/mnm-UID-XXXXXX, with
 * letters that nobody can know before; one that the user has already, or a new
 * one. `mnm` finds it by the processes that have a socket in it. False, with
 * errno set: it can't be made, or `path` is another folder than /tmp/mnm-UID.
 */
bool socket_dir_second(char *path, size_t size);

/* The socket's path in that folder. False: too long. */
bool socket_path(const char *dir, int pid, char *path, size_t size);

/* Removes the socket at that path if nobody listens at it. One that a process
 * puts there meanwhile stays. Other files are not sockets, and stay. */
void socket_remove_left(const char *path);

/* The same with a file of the folder that a process had put aside for it when
 * it ended. Others are left alone. */
void socket_remove_aside(const char *dir, const char *name);

/* Who may look at a process and change its pools: its own user, and root. By
 * this the process judges who asks it, and `mnm` whom it may ask. */
bool steer_allowed(uid_t client, uid_t process);

/* Whether the folder is the caller's own, mode 0700, and no link. error holds
 * one line if not. */
bool socket_dir_check(const char *dir, char *error, size_t size);

#endif
