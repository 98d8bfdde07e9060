/* What code is at an address of a recording: its file, and its function if the
 * file says which. */
#ifndef MNM_SYMBOLS_H
#define MNM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/* NULL without memory. */
struct symbols *symbols_open(void);
void symbols_close(struct symbols *symbols);

/* From now on, size bytes of the file's code lie at the address, from that byte
 * of it. What was known to lie there before is forgotten. Returns false without
 * memory. */
bool symbols_add(struct symbols *symbols, uint64_t address, uint64_t size,
		 uint64_t offset, const char *path);

/* Writes the names of the file and of the function whose code comes before the
 * address, as that is where a call returns to. The second is empty if it is not
 * known, and so is the first. */
void symbols_find(struct symbols *symbols, uint64_t site, char *file,
		  char *function, size_t size);

#endif
