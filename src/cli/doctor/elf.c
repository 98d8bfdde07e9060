#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf.h"

/* Part of the file, or NULL if the file has no such part. */
static const void *part_at(const struct elf *elf, size_t offset, size_t size)
{
	if (offset > elf->size || size > elf->size - offset)
		return NULL;
	return elf->bytes + offset;
}

/* A row of one of the file's tables. Also NULL if the row is not aligned to 8
 * bytes. */
static const void *row_at(const struct elf *elf, size_t offset, size_t size)
{
	return offset % 8 ? NULL : part_at(elf, offset, size);
}

/* A text of the file that starts there, or NULL. */
static const char *text_at(const struct elf *elf, size_t offset)
{
	if (offset >= elf->size ||
	    !memchr(elf->bytes + offset, '\0', elf->size - offset))
		return NULL;
	return elf->bytes + offset;
}

static const char *header_check(const struct elf *elf)
{
	const Elf64_Ehdr *header = elf->header;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG))
		return "not an ELF file";
	if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a 64-bit little-endian ELF file";
	return NULL;
}

bool elf_open(struct elf *elf, const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	void *bytes = MAP_FAILED;
	struct stat st;

	*why = NULL;
	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode))
		*why = "not a file";
	else if (fd >= 0 && !st.st_size)
		*why = "an empty file";
	else if (fd >= 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			     fd, 0);
	if (bytes == MAP_FAILED && !*why)
		*why = strerror(errno);
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return false;
	elf->bytes = bytes;
	elf->size = (size_t)st.st_size;
	elf->header = part_at(elf, 0, sizeof(*elf->header));
	*why = header_check(elf);
	if (*why)
		elf_close(elf);
	return !*why;
}

void elf_close(struct elf *elf)
{
	munmap((void *)elf->bytes, elf->size);
}

const char *elf_interpreter(const struct elf *elf)
{
	const Elf64_Phdr *row;

	for (size_t i = 0; i < elf->header->e_phnum; i++) {
		row = row_at(elf, elf->header->e_phoff + i * sizeof(*row),
			     sizeof(*row));
		if (row && row->p_type == PT_INTERP)
			return text_at(elf, row->p_offset);
	}
	return NULL;
}

static const Elf64_Shdr *section_at(const struct elf *elf, size_t i)
{
	if (i >= elf->header->e_shnum)
		return NULL;
	return row_at(elf, elf->header->e_shoff + i * sizeof(Elf64_Shdr),
		      sizeof(Elf64_Shdr));
}

static const char *section_name(const struct elf *elf,
				const Elf64_Shdr *section)
{
	const Elf64_Shdr *names = section_at(elf, elf->header->e_shstrndx);
	const char *name = NULL;

	if (names)
		name = text_at(elf, names->sh_offset + section->sh_name);
	return name ? name : "";
}

const char *elf_find(const struct elf *elf, const void *bytes, size_t size)
{
	const Elf64_Shdr *section;
	const char *found = NULL, *data;

	for (size_t i = 0; !found && i < elf->header->e_shnum; i++) {
		section = section_at(elf, i);
		/* This skips other data, as device code can be gigabytes. */
		if (!section || section->sh_type != SHT_PROGBITS ||
		    strncmp(section_name(elf, section), ".rodata", 7))
			continue;
		data = part_at(elf, section->sh_offset, section->sh_size);
		if (data)
			found = memmem(data, section->sh_size, bytes, size);
	}
	return found;
}

static bool symbols_have(const struct elf *elf, const Elf64_Shdr *section,
			 const char *symbol)
{
	const Elf64_Shdr *names = section_at(elf, section->sh_link);
	size_t count = section->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *row;
	const char *name;

	for (size_t i = 0; names && i < count; i++) {
		row = row_at(elf, section->sh_offset + i * sizeof(*row),
			     sizeof(*row));
		if (!row)
			return false;
		if (row->st_shndx == SHN_UNDEF)
			continue;
		name = text_at(elf, names->sh_offset + row->st_name);
		if (name && !strcmp(name, symbol))
			return true;
	}
	return false;
}

bool elf_exports(const struct elf *elf, const char *symbol)
{
	const Elf64_Shdr *section;

	for (size_t i = 0; i < elf->header->e_shnum; i++) {
		section = section_at(elf, i);
		if (section && section->sh_type == SHT_DYNSYM &&
		    symbols_have(elf, section, symbol))
			return true;
	}
	return false;
}
