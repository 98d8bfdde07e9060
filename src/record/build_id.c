#include "build_id.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mapped_elf.h"

enum { NOTES_MOST = 1024 };

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

void build_id_find(int memory, uint64_t address, const Elf64_Phdr *parts,
		   int count, char id[BUILD_ID_SIZE])
{
	uint8_t notes[NOTES_MOST];

	*id = '\0';
	for (int i = 0; i < count && !*id; i++)
		if (parts[i].p_type == PT_NOTE &&
		    parts[i].p_filesz <= sizeof(notes) &&
		    mapped_read(memory, address + parts[i].p_offset, notes,
				parts[i].p_filesz))
			notes_look(notes, parts[i].p_filesz, id);
}

void build_id_read(uint64_t address, char id[BUILD_ID_SIZE])
{
	Elf64_Phdr parts[MAPPED_PARTS_MOST];
	int memory = mapped_open();

	*id = '\0';
	if (memory < 0)
		return;
	build_id_find(memory, address, parts,
		      mapped_parts(memory, address, parts), id);
	close(memory);
}
