/* stat, lstat and fstat, which glibc has as functions only since 2.33. */
#ifndef MNM_FILE_STAT_H
#define MNM_FILE_STAT_H

#include <sys/stat.h>

/* flags are those of fstatat: AT_SYMLINK_NOFOLLOW looks at a link itself. Both
 * return 0, or -1 with errno set. */
int file_stat(const char *path, struct stat *st, int flags);
int file_stat_open(int fd, struct stat *st);

/* The same of a name in an open folder; a link is looked at itself. */
int file_stat_at(int folder, const char *name, struct stat *st);

#endif
