/* Shared objects, before the loader has them. */
#ifndef MNM_OBJECT_FILE_H
#define MNM_OBJECT_FILE_H

#include <stdbool.h>

/* Whether the file ends before what the loader would map of it. glibc's maps it
 * all the same, and a process that reads there is ended by SIGBUS. Of what is
 * no object for this machine the answer is false; the loader says so itself. */
bool object_file_is_cut(const char *path);

#endif
