/* Handles of ours, by which other processes under mnm open blocks that are a
 * part of an allocation of CUDA's. CUDA's own handle leads to the whole
 * allocation, and is the same for all of its blocks.
 *
 * What a handle of ours stands for is the text of a symbolic link in the folder
 * of the control sockets, where only its user can make one. A link is there as
 * a whole or not at all, and takes no descriptor of the program's. CUDA refuses
 * the handle itself. */
#ifndef MNM_EXPORTS_H
#define MNM_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HANDLE_BYTES = 64 }; /* of a handle of CUDA's, and of one of ours */

struct export
{
	unsigned char handle[HANDLE_BYTES]; /* CUDA's, of the allocation */
	uint64_t offset, size;              /* of the block in that */
};

/* Makes a handle for a block. A block that has one keeps it. Returns false,
 * with errno set, if it can't. */
bool export_make(const char *folder, uint64_t addr, const struct export *export,
		 unsigned char handle[HANDLE_BYTES]);

/* The block at addr ends, and its handle with it. */
void export_end(uint64_t addr);

/* Whether a handle is one of ours. */
bool export_is_ours(const unsigned char handle[HANDLE_BYTES]);

/* Finds what a handle of ours stands for. Returns false if it stands for
 * nothing that is there, and right. */
bool export_find(const char *folder, const unsigned char handle[HANDLE_BYTES],
		 struct export *export);

#endif
