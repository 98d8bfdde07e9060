/* A 64-bit ELF file, which is mapped and looked at. Nothing in it is run, and
 * wrong offsets in it do no harm. */
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

/* Returns false if it can't; *why is what is wrong with the file, or the
 * system's error. */
bool elf_open(struct elf *elf, const char *path, const char **why);
void elf_close(struct elf *elf);

/* The loader that the program asks for, or NULL. */
const char *elf_interpreter(const struct elf *elf);

/* The place of these bytes in the file's constant data, or NULL. */
const char *elf_find(const struct elf *elf, const void *bytes, size_t size);

/* Whether the file exports a function or variable to other files. */
bool elf_exports(const struct elf *elf, const char *symbol);

#endif
