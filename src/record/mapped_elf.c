#include "mapped_elf.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int mapped_open(void)
{
	return open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
}

bool mapped_read(int memory, uint64_t address, void *to, size_t size)
{
	return pread(memory, to, size, (off_t)address) == (ssize_t)size;
}

int mapped_parts(int memory, uint64_t address,
		 Elf64_Phdr parts[MAPPED_PARTS_MOST])
{
	Elf64_Ehdr head;

	if (!mapped_read(memory, address, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(*parts) ||
	    head.e_phnum > MAPPED_PARTS_MOST ||
	    !mapped_read(memory, address + head.e_phoff, parts,
			 head.e_phnum * sizeof(*parts)))
		return 0;
	return head.e_phnum;
}
