/* The build-id of a file that is mapped: linkers give each version of a library
 * another one. */
#ifndef MNM_RECORD_BUILD_ID_H
#define MNM_RECORD_BUILD_ID_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

enum { BUILD_ID_SIZE = 65 }; /* hexadecimal, with its end */

/* Of the file whose first byte is mapped at the address, from where it may go
 * at any time. "" if it has none, or is no ELF file of 64 bits. */
void build_id_read(uint64_t address, char id[BUILD_ID_SIZE]);

/* The same by its program headers, which were read (mapped_elf.h). */
void build_id_find(int memory, uint64_t address, const Elf64_Phdr *parts,
		   int count, char id[BUILD_ID_SIZE]);

#endif
