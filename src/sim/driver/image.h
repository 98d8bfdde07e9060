/* What modules and libraries are loaded from: PTX, an ELF file (a cubin), or a
 * fat binary. An image that is loaded again is the same one; all stay until the
 * process ends. All calls need the lock. */
#ifndef SIM_IMAGE_H
#define SIM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

struct code;
struct ptx_module;

enum image_kind { IMAGE_OTHER, IMAGE_PTX, IMAGE_ELF, IMAGE_FAT };

/* PTX of an image: all of it, or what it has for one architecture. */
struct ptx_text {
	struct ptx_text *next;
	unsigned arch; /* as in 90 of sm_90; 0 if that is not known */
	const char *text;
	struct ptx_module *module; /* NULL if it cannot be read */
	bool parsed;
};

struct image {
	struct image *next;
	enum image_kind kind;
	size_t size;
	char *bytes;
	unsigned long hash;
	struct ptx_text *texts;  /* best first */
	bool ptx_read, elf_read; /* as far as they can be */
	bool failed;             /* the tool did not show the PTX */
	char *elf;               /* what cuobjdump shows, or NULL */
	struct code *codes;      /* kernels that were asked for */
};

/* The image at an address, copied. NULL when memory is short. */
struct image *image_find(const void *at);
/* Its PTX, best first for this device, or NULL if there is none. Starts the
 * toolkit's tool for a fat binary, once. */
struct ptx_text *image_ptx(struct image *image);
#endif
