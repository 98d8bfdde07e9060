/* The functions of an ELF file, by where their code is in it. */
#ifndef MNM_ELF_NAMES_H
#define MNM_ELF_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct elf_names;

enum { ELF_BUILD_SIZE = 65 };

/* NULL if the file can't be read, is no ELF file of 64 bits, or has no names.
 * Whatever its bytes are, nothing outside of it is read. */
struct elf_names *elf_names_open(const char *path);
void elf_names_close(struct elf_names *names);

/* Its build-id in hexadecimal, or "". */
const char *elf_names_build(const struct elf_names *names);

/* The function that has that byte of the file, as the file spells it; or
 * NULL. */
const char *elf_names_find(const struct elf_names *names, uint64_t offset);

#endif
