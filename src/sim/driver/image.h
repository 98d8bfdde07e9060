/* What modules and libraries are loaded from: PTX, an ELF file (a cubin), or a
 * fat binary. An image that is loaded again is the same one. It stays while a
 * module or a launch uses it. All calls need the lock. */
#ifndef SIM_IMAGE_H
#define SIM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

struct code;
struct ptx_error;
struct ptx_module;

/* With this and a number, texts of PTX begin that were linked for so many
 * registers. */
#define IMAGE_REGISTERS "// registers: "

enum image_kind { IMAGE_OTHER, IMAGE_PTX, IMAGE_ELF, IMAGE_FAT };

/* PTX of an image: all of it, or what it has for one architecture. */
struct ptx_text {
	struct ptx_text *next;
	unsigned arch; /* as in 90 of sm_90; 0 if that is not known */
	char *text;
	struct ptx_module *module; /* NULL if it cannot be read */
	bool parsed;
};

struct image {
	struct image *next;
	enum image_kind kind;
	unsigned users;
	size_t size;
	size_t first; /* bytes of the first fat binary, or of all */
	char *bytes;  /* and a byte of zero */
	unsigned long hash;
	unsigned max_registers;  /* that code was linked for; 0: any number */
	struct ptx_text *texts;  /* best first */
	bool ptx_read, elf_read; /* as far as they can be */
	bool failed;             /* the tool did not show the PTX */
	char *elf;               /* what cuobjdump shows, or NULL */
	struct code *codes;      /* kernels that were asked for */
};

/* The image at an address, copied, with one more user. NULL when memory is
 * short. */
struct image *image_find(const void *at);
void image_keep(struct image *image);
/* One user less. The image may be NULL. */
void image_leave(struct image *image);
/* Its PTX, best first for this device, or NULL if there is none. Starts the
 * toolkit's tool for a fat binary, once. */
struct ptx_text *image_ptx(struct image *image);
/* The module of a text, or NULL if there is none or it cannot be read. */
struct ptx_module *image_module(struct ptx_text *text, struct ptx_error *error);

#endif
