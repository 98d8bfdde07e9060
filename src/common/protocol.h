/* The control socket as both sides know it.
 *
 * A request is one line, at most REQUEST_MAX bytes with its newline: a JSON
 * object whose fields hold texts and numbers.
 *
 *	{"command":"swap","pool":"no_pool","device":0,"until":1763810000000}
 *
 * The answer is one line as well, up to the end of the stream: a JSON object
 * with "schema". If it has "error", a text, this says what was wrong, and
 * nothing has changed. The command help lists the commands and their fields. A
 * field that a command does not have is an error. A connection carries one
 * request.
 *
 * A request is carried out only while its client waits: not after the client
 * has closed its end, and not after the time "until". That is in milliseconds
 * since 1970 by CLOCK_REALTIME, the clock that all processes of a machine
 * share; other clocks may differ between containers. A process may be stopped
 * for hours before it gets to a request. */
#ifndef MNM_PROTOCOL_H
#define MNM_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The version of what answers hold. It gets a new number when a field changes
 * its meaning. `mnm` does not understand an answer with another number. */
#define ANSWER_SCHEMA 1

#define REQUEST_MAX   1024    /* bytes */
#define SOCKET_SUFFIX ".sock" /* after the pid */
/* The name of a socket that is being looked at: this after the pid of the
 * process that looks. */
#define SOCKET_ASIDE ".old"
/* The name of what stands behind a handle of a placed block (mem/exports.h):
 * the pid, a dash, a number, and this. */
#define EXPORT_SUFFIX ".export"
/* After the pid: what there was when its memory ran out (mem/postmortem.h). */
#define POSTMORTEM_SUFFIX ".oom.json"

/* The folder of a user's sockets: `chosen` if it is not empty (MNM_SOCKET_DIR),
 * else $XDG_RUNTIME_DIR/mnm if $XDG_RUNTIME_DIR is a folder of the user's, else
 * /tmp/mnm-UID. Returns false if it is too long for a socket's address, which
 * has 108 bytes. */
bool socket_dir(const char *chosen, char *path, size_t size);

/* The folder to take if somebody else has made /tmp/mnm-UID first:
 * /tmp/mnm-UID-XXXXXX, with letters that nobody can guess. It is one that the
 * user has already, or a new one. `mnm` finds it through the processes that
 * have a socket in it. Returns false, with errno set, if it can't be made, or
 * if `path` is another folder than /tmp/mnm-UID. */
bool socket_dir_second(char *path, size_t size);

/* The path of the process's socket in that folder. Returns false if it is too
 * long. */
bool socket_path(const char *dir, int pid, char *path, size_t size);

/* Removes the socket at that path if nobody listens at it. A socket that a
 * process puts there meanwhile stays. A file that is not a socket stays as
 * well. */
void socket_remove_left(const char *path);

/* Does the same with a file of the folder that a process had put aside for this
 * when it ended. Files with other names are left alone. */
void socket_remove_aside(const char *dir, const char *name);

/* Whether a client may look at a process and change its pools: the process's
 * own user may, and root. The process judges by this who asks it, and `mnm`
 * whom it may ask. */
bool steer_allowed(uid_t client, uid_t process);

/* Whether the folder is the caller's own, has mode 0700, and is no link. If
 * not, error holds one line that says so. */
bool socket_dir_check(const char *dir, char *error, size_t size);

#endif
