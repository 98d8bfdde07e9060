/* The folder in which a program is recorded for `mnm shadow`. */
#ifndef MNM_SHADOW_FOLDER_H
#define MNM_SHADOW_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct shadow_folder {
	char path[PATH_MAX]; /* empty: there is none */
	int lock; /* held as long as this process lives; -1: not held */
};

/* Removes those of processes that were killed. The recordings in them end. */
void shadow_folders_clean(void);

/* Makes a folder that only that user may enter. Prints why it can't, and
 * returns false; it is to be removed then as well. */
bool shadow_folder_make(struct shadow_folder *folder, uid_t user);
void shadow_folder_remove(struct shadow_folder *folder);

/* Whether the file is in such a folder that is there no more. */
bool shadow_folder_is_gone(const char *file);

#endif
