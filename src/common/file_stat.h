/* stat, lstat and fstat, which glibc has as functions since 2.33 only. */
#ifndef MNM_FILE_STAT_H
#define MNM_FILE_STAT_H

#include <sys/stat.h>

/* Flags as fstatat's: AT_SYMLINK_NOFOLLOW of a link itself. 0, or -1 with
 * errno set. */
int file_stat(const char *path, struct stat *st, int flags);
int file_stat_open(int fd, struct stat *st);

#endif
