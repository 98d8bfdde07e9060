/* Folders that sockets may lie in. */
#ifndef MNM_FOLDER_H
#define MNM_FOLDER_H

#include <stddef.h>
#include <sys/types.h>

/* MNM_SOCKET_DIR; NULL: not set. */
const char *folder_chosen(void);

/* Calls each for every such folder that is there and to be trusted: one's own,
 * and as root those of others. doubt is a line that says why one's own is not,
 * or empty: programs whose socket should be there are elsewhere, or have none.
 */
enum { FOLDER_DOUBT_SIZE = 256 };
void folders_each(void (*each)(const char *path, uid_t owner, void *arg),
		  void *arg, char doubt[FOLDER_DOUBT_SIZE]);

#endif
