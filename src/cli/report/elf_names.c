#include "elf_names.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct function {
	uint64_t start, end; /* bytes of the file */
	const char *name;
};

struct elf_names {
	const uint8_t *bytes;
	size_t size;
	struct function *functions; /* by rising start */
	size_t count;
	char build[ELF_BUILD_SIZE];
};

/* So many bytes of the file from there, or NULL. Parts of the format are
 * aligned in a right file; a wrong one is refused. */
static const void *part(const struct elf_names *names, uint64_t offset,
			uint64_t size)
{
	if (offset > names->size || size > names->size - offset || offset % 8)
		return NULL;
	return names->bytes + offset;
}

static const Elf64_Ehdr *head_of(const struct elf_names *names)
{
	const Elf64_Ehdr *head = part(names, 0, sizeof(*head));

	return head && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
			       head->e_ident[EI_CLASS] == ELFCLASS64 &&
			       head->e_shentsize == sizeof(Elf64_Shdr) &&
			       head->e_phentsize == sizeof(Elf64_Phdr)
		       ? head
		       : NULL;
}

/* Where an address of the image is in the file; UINT64_MAX: nowhere. */
static uint64_t offset_of(const struct elf_names *names, const Elf64_Ehdr *head,
			  uint64_t address)
{
	const Elf64_Phdr *parts =
		part(names, head->e_phoff, head->e_phnum * sizeof(*parts));

	for (unsigned int i = 0; parts && i < head->e_phnum; i++)
		if (parts[i].p_type == PT_LOAD && address >= parts[i].p_vaddr &&
		    address - parts[i].p_vaddr < parts[i].p_filesz)
			return address - parts[i].p_vaddr + parts[i].p_offset;
	return UINT64_MAX;
}

/* The name at that place of a table of names, if it has an end there. */
static const char *name_at(const struct elf_names *names,
			   const Elf64_Shdr *table, uint64_t at)
{
	const char *name;

	if (table->sh_offset > names->size ||
	    table->sh_size > names->size - table->sh_offset ||
	    at >= table->sh_size)
		return NULL;
	name = (const char *)names->bytes + table->sh_offset + at;
	return memchr(name, '\0', table->sh_size - at) ? name : NULL;
}

static void symbol_add(struct elf_names *names, const Elf64_Ehdr *head,
		       const Elf64_Shdr *table, const Elf64_Sym *symbol)
{
	uint64_t start = offset_of(names, head, symbol->st_value);
	const char *name = name_at(names, table, symbol->st_name);

	if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size &&
	    start != UINT64_MAX && name && *name)
		names->functions[names->count++] =
			(struct function){start, start + symbol->st_size, name};
}

/* Returns false if there is none of that type, or no memory. */
static bool symbols_read(struct elf_names *names, const Elf64_Ehdr *head,
			 uint32_t type)
{
	const Elf64_Shdr *sections =
		part(names, head->e_shoff, head->e_shnum * sizeof(*sections));
	const Elf64_Sym *symbols = NULL;
	size_t count = 0, i = 0;

	while (sections && i < head->e_shnum && sections[i].sh_type != type)
		i++;
	if (!sections || i == head->e_shnum ||
	    sections[i].sh_link >= head->e_shnum)
		return false;
	symbols = part(names, sections[i].sh_offset, sections[i].sh_size);
	count = sections[i].sh_size / sizeof(*symbols);
	names->functions = calloc(count + 1, sizeof(*names->functions));
	if (!symbols || !names->functions)
		return false;
	for (size_t at = 0; at < count; at++)
		symbol_add(names, head, &sections[sections[i].sh_link],
			   &symbols[at]);
	return names->count;
}

static int compare(const void *a, const void *b)
{
	const struct function *first = a, *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

/* The first note of that type in a part of the file. */
static void note_look(struct elf_names *names, const Elf64_Phdr *of)
{
	enum { NAME = 4, DATA = sizeof(Elf64_Nhdr) + NAME };
	uint64_t left = of->p_filesz, at = of->p_offset, size;

	if (at > names->size || left > names->size - at)
		return;
	while (left >= DATA && !*names->build) {
		const uint8_t *note = names->bytes + at;
		Elf64_Nhdr head;

		memcpy(&head, note, sizeof(head));
		size = sizeof(head) + (((uint64_t)head.n_namesz + 3) & ~3ULL) +
		       (((uint64_t)head.n_descsz + 3) & ~3ULL);
		if (size > left)
			return;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == NAME &&
		    !memcmp(note + sizeof(head), "GNU", NAME))
			for (size_t i = 0;
			     i < head.n_descsz && 2 * i + 2 < ELF_BUILD_SIZE;
			     i++)
				snprintf(names->build + 2 * i, 3, "%02x",
					 note[DATA + i]);
		at += size;
		left -= size;
	}
}

static void build_look(struct elf_names *names, const Elf64_Ehdr *head)
{
	const Elf64_Phdr *parts =
		part(names, head->e_phoff, head->e_phnum * sizeof(*parts));

	for (unsigned int i = 0; parts && i < head->e_phnum; i++)
		if (parts[i].p_type == PT_NOTE)
			note_look(names, &parts[i]);
}

const char *elf_names_build(const struct elf_names *names)
{
	return names->build;
}

static bool names_read(struct elf_names *names)
{
	const Elf64_Ehdr *head = head_of(names);

	if (!head)
		return false;
	build_look(names, head);
	if (!symbols_read(names, head, SHT_SYMTAB)) {
		free(names->functions);
		names->functions = NULL;
		names->count = 0;
		if (!symbols_read(names, head, SHT_DYNSYM))
			return false;
	}
	qsort(names->functions, names->count, sizeof(*names->functions),
	      compare);
	return true;
}

struct elf_names *elf_names_open(const char *path)
{
	struct elf_names *names = calloc(1, sizeof(*names));
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	void *bytes = MAP_FAILED;

	if (names && fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			     fd, 0);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED) {
		free(names);
		return NULL;
	}
	names->bytes = bytes;
	names->size = (size_t)st.st_size;
	if (names_read(names))
		return names;
	elf_names_close(names);
	return NULL;
}

void elf_names_close(struct elf_names *names)
{
	if (!names)
		return;
	munmap((void *)names->bytes, names->size);
	free(names->functions);
	free(names);
}

const char *elf_names_find(const struct elf_names *names, uint64_t offset)
{
	size_t low = 0, high = names->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->functions[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && offset < names->functions[low - 1].end
		       ? names->functions[low - 1].name
		       : NULL;
}
