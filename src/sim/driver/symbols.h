/* The variables of device code, as far as its image tells them: an ELF file has
 * a table of symbols, and PTX is read as for its kernels, also that in a fat
 * binary.
 */
#ifndef SIM_SYMBOLS_H
#define SIM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

struct image;

struct symbol {
	struct symbol *next;
	size_t size;
	void *data;   /* what it holds at first; NULL if that is zeros */
	bool managed; /* PTX says so, or the runtime does */
	char name[];
};

/* Adds a symbol to a list. NULL when memory is short. */
struct symbol *symbol_add(struct symbol **list, const char *name, size_t size);
struct symbol *symbol_find(struct symbol *list, const char *name);
/* Adds those of an image. Returns false when memory is short. */
bool symbols_read(struct image *image, struct symbol **list);
void symbols_free(struct symbol **list);

#endif
