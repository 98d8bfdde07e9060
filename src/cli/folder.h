/* The folders in which sockets may lie. */
#ifndef MNM_FOLDER_H
#define MNM_FOLDER_H

#include <stddef.h>
#include <sys/types.h>

/* MNM_SOCKET_DIR, or NULL if it is not set. */
const char *folder_chosen(void);

/* Calls each for every such folder that is there and can be trusted: the
 * caller's own, and for root those of other users. doubt becomes a line that
 * says why the caller's own folder can't be used, or empty. If it can't,
 * programs that should have their socket there have it elsewhere, or have
 * none. */
enum { FOLDER_DOUBT_SIZE = 256 };
void folders_each(void (*each)(const char *path, uid_t owner, void *arg),
		  void *arg, char doubt[FOLDER_DOUBT_SIZE]);

#endif
