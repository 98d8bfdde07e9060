/* Folders that sockets may lie in. */
#ifndef MNM_FOLDER_H
#define MNM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* MNM_SOCKET_DIR; NULL: not set. */
const char *folder_chosen(void);

/* Calls each for every such folder that is there and to be trusted: one's own,
 * and as root those of others. False: one's own is not, which has been said. */
bool folders_each(void (*each)(const char *path, uid_t owner, void *arg),
		  void *arg);

#endif
