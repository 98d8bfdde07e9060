/* The head of a file that is mapped, which may go at any time: the kernel reads
 * it, which knows whether it is still there. */
#ifndef MNM_RECORD_MAPPED_ELF_H
#define MNM_RECORD_MAPPED_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAPPED_PARTS_MOST = 64 };

/* The process's memory as a descriptor, or -1; to be closed by the caller. */
int mapped_open(void);

bool mapped_read(int memory, uint64_t address, void *to, size_t size);

/* Reads the program headers of the file whose first byte is mapped at the
 * address. Returns how many there are; 0 if it is no ELF file of 64 bits. */
int mapped_parts(int memory, uint64_t address,
		 Elf64_Phdr parts[MAPPED_PARTS_MOST]);

#endif
