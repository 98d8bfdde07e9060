/* A loaded object: the program or a library, found without any function of
 * libc: our dlsym is called before a sanitizer, whose functions stand in front
 * of libc's, has set itself up. */
#ifndef MNM_ELF_SYMBOL_H
#define MNM_ELF_SYMBOL_H

#include <link.h>
#include <stdbool.h>

/* Whether the file's name in a path starts so. */
bool elf_file_named(const char *path, const char *start);

/* The address of a symbol that the first object with such a name defines, NULL
 * if there is none. Takes no lock: what is named has to be there for good, or
 * be loaded by the caller's caller. */
void *elf_symbol(const char *start, const char *symbol);

/* This library; NULL: it is part of a program. What was loaded with it as the
 * process began follows, in the order in which the loader looks for symbols. */
const struct link_map *elf_own(void);

bool elf_defines(const struct link_map *object, const char *symbol);

#endif
