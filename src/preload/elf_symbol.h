/* Symbols of loaded objects, which are the program and its libraries. They are
 * found without any function of libc: our dlsym is called before a sanitizer,
 * whose functions stand in front of libc's, has set itself up. */
#ifndef MNM_ELF_SYMBOL_H
#define MNM_ELF_SYMBOL_H

#include <link.h>
#include <stdbool.h>

/* Whether the name of the path's file begins with start. */
bool elf_file_named(const char *path, const char *start);

/* The address of a symbol in the first object whose name begins with start;
 * NULL if there is no such object, or if it does not define the symbol. Takes
 * no lock, so the object must be there for good, or have been loaded by the
 * code that has called our caller. */
void *elf_symbol(const char *start, const char *symbol);

/* This library, or NULL if it is part of a program. The objects that were
 * loaded with it as the process began follow, in the order in which the loader
 * looks for symbols. */
const struct link_map *elf_own(void);

bool elf_defines(const struct link_map *object, const char *symbol);

/* Whether the program's own file, and not only a library of it, has the symbol
 * among those that it defines or takes from others. */
bool elf_program_names(const char *symbol);

#endif
