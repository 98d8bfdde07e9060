#include "build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PARTS_MOST = 64, NOTES_MOST = 1024 };

/* By the kernel, which knows whether it is still mapped. */
static bool bytes_read(int memory, uint64_t address, void *to, size_t size)
{
	return pread(memory, to, size, (off_t)address) == (ssize_t)size;
}

static size_t padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

static void id_write(const uint8_t *bytes, size_t size, char *id)
{
	for (size_t i = 0; i < size && 2 * i + 2 < BUILD_ID_SIZE; i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

static void notes_look(const uint8_t *notes, size_t size, char *id)
{
	Elf64_Nhdr head;
	size_t at = 0;

	while (!*id && size - at >= sizeof(head)) {
		size_t name, end;

		memcpy(&head, notes + at, sizeof(head));
		name = at + sizeof(head);
		end = name + padded(head.n_namesz) + padded(head.n_descsz);
		if (end > size)
			break;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4))
			id_write(notes + name + 4, head.n_descsz, id);
		at = end;
	}
}

static void id_find(int memory, uint64_t address, char *id)
{
	Elf64_Phdr parts[PARTS_MOST];
	uint8_t notes[NOTES_MOST];
	Elf64_Ehdr head;

	if (!bytes_read(memory, address, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(*parts) || head.e_phnum > PARTS_MOST ||
	    !bytes_read(memory, address + head.e_phoff, parts,
			head.e_phnum * sizeof(*parts)))
		return;
	for (int i = 0; i < head.e_phnum && !*id; i++)
		if (parts[i].p_type == PT_NOTE &&
		    parts[i].p_filesz <= sizeof(notes) &&
		    bytes_read(memory, address + parts[i].p_offset, notes,
			       parts[i].p_filesz))
			notes_look(notes, parts[i].p_filesz, id);
}

void build_id_read(uint64_t address, char id[BUILD_ID_SIZE])
{
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	*id = '\0';
	if (memory < 0)
		return;
	id_find(memory, address, id);
	close(memory);
}
