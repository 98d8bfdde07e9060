/* CUDA arrays: memory with a shape, known by a handle and not by an address.
 * Rows follow each other without padding. All calls need the lock. */
#ifndef SIM_ARRAY_H
#define SIM_ARRAY_H

#include <stddef.h>

#include <cuda.h>

struct block;

enum { ARRAY_MAGIC = 0x61727279, MIPMAP_MAGIC = 0x6d697073, LEVELS_MOST = 32 };

struct array {
	unsigned magic; /* 0 once it is gone; the object is used again */
	struct array *next;
	struct block *block;
	CUDA_ARRAY3D_DESCRIPTOR shape;
	size_t offset;      /* of a level, in the block */
	size_t row;         /* bytes */
	struct array *many; /* the mipmapped array of a level, or NULL */
	struct array *levels[LEVELS_MOST]; /* of a mipmapped array */
	unsigned level_count;
};

/* Bytes of a channel; 0 for formats that are not supported. */
size_t array_channel(CUarray_format format);
/* The mipmapped array of a handle, or CUDA_ERROR_INVALID_HANDLE. */
CUresult mipmap_find(CUmipmappedArray handle, struct array **array);
/* The array of a handle from the program, or CUDA_ERROR_INVALID_HANDLE. */
CUresult array_find(CUarray handle, struct array **array);
char *array_base(const struct array *array);
/* Rows in a slice, and slices; 1 where the shape says 0. */
size_t array_rows(const struct array *array);
size_t array_slices(const struct array *array);
/* Forgets the array and its levels. The caller frees the memory. */
void array_end(struct array *array);

#endif
