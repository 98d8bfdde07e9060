/* What is installed beside this program. */
#ifndef MNM_INSTALL_PATH_H
#define MNM_INSTALL_PATH_H

#include <stdbool.h>

/* The first of "DIR/near" and "DIR/../lib/mnm/near" that can be read, where
 * DIR is this program's; path has PATH_MAX bytes. False: neither. */
bool install_path_find(const char *near, char *path);

#endif
