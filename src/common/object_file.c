#include "object_file.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "file_stat.h"

static bool part_read(int fd, void *to, size_t size, uint64_t offset)
{
	return pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static bool is_object(int fd, Elf64_Ehdr *head)
{
	return part_read(fd, head, sizeof(*head), 0) &&
	       !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 &&
	       head->e_phentsize == sizeof(Elf64_Phdr);
}

static bool is_past(uint64_t end, const Elf64_Phdr *part)
{
	return part->p_type == PT_LOAD &&
	       (part->p_offset > end || part->p_filesz > end - part->p_offset);
}

static bool is_cut(int fd, uint64_t end)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;

	if (!is_object(fd, &head))
		return false;
	for (unsigned int i = 0; i < head.e_phnum; i++)
		if (!part_read(fd, &part, sizeof(part),
			       head.e_phoff + i * sizeof(part)) ||
		    is_past(end, &part))
			return true;
	return false;
}

bool object_file_is_cut(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool cut;

	if (fd < 0)
		return false;
	cut = !file_stat_open(fd, &st) && is_cut(fd, (uint64_t)st.st_size);
	close(fd);
	return cut;
}
