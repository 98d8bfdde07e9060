/* A 64-bit ELF file, mapped and looked at. Nothing of it is run, and wrong
 * offsets in it do no harm. */
#ifndef MNM_ELF_H
#define MNM_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

struct elf {
	const char *bytes; /* the file */
	size_t size;
	const Elf64_Ehdr *header;
};

/* False: *why says what the file is not, or the system's error. */
bool elf_open(struct elf *elf, const char *path, const char **why);
void elf_close(struct elf *elf);

/* The loader that the program asks for, or NULL. */
const char *elf_interpreter(const struct elf *elf);

/* Where these bytes are in its constant data, or NULL. */
const char *elf_find(const struct elf *elf, const void *bytes, size_t size);

/* Whether it exports a function or variable to other files. */
bool elf_exports(const struct elf *elf, const char *symbol);

#endif
