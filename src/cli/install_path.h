/* What is installed beside this program. */
#ifndef MNM_INSTALL_PATH_H
#define MNM_INSTALL_PATH_H

#include <stdbool.h>

/* Writes the first of "DIR/near" and "DIR/../lib/mnm/near" that can be read,
 * where DIR is this program's folder, to path, which has PATH_MAX bytes.
 * Returns false if neither can. */
bool install_path_find(const char *near, char *path);

#endif
