/* A loaded object: the program or a library, found without the loader's own
 * functions, which a program may lack. */
#ifndef MNM_OBJECT_H
#define MNM_OBJECT_H

#include <link.h>
#include <stdbool.h>

/* Whether its file's name starts so. */
bool object_named(const struct dl_phdr_info *object, const char *start);

/* The address of a symbol that an object with such a name defines, NULL if
 * there is none. */
void *object_symbol(const char *start, const char *symbol);

#endif
