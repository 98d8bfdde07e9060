/* How the simulated device finds the host function that stands for a kernel.
 *
 * A program's kernels are compiled for the CPU into a shared object beside it,
 * PROGRAM.kernels.so, or into objects that MNM_SIM_KERNELS names, separated by
 * colons. Such an object exports sim_kernels(). src/sim/kernel.hpp writes that
 * function for C++. */
#ifndef MNM_SIM_KERNEL_TABLE_H
#define MNM_SIM_KERNEL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sim_launch {
	unsigned int grid[3];  /* blocks, each >= 1 */
	unsigned int block[3]; /* threads a block, each >= 1 */
	size_t shared_bytes;   /* dynamic shared memory asked for */
};

struct sim_touch {
	const void *addr;
	size_t size;
};

/* The handle of a graph's condition is the address of its value, an unsigned
 * int that kernels set. */

/* A level of a mipmapped array, as in a texture. */
struct sim_level {
	char *base;
	size_t width, height, depth;
	size_t pitch, slice;
};

/* What a texture or surface object is: the number that the program has of it is
 * the address of this. Elements follow each other in rows, rows in slices. */
struct sim_texture {
	char *base;
	size_t width, height, depth; /* elements; 0 where it has no such size */
	size_t pitch, slice;         /* bytes from row to row, slice to slice */
	unsigned format;             /* CUarray_format, of a channel */
	unsigned channels;
	unsigned modes[3];  /* CUaddress_mode, by dimension */
	unsigned is_linear; /* linear filtering */
	unsigned flags;     /* CU_TRSF_* */
	float border[4];
	/* Of a mipmapped array: the first level is that above. */
	const struct sim_level *levels;
	unsigned level_count; /* 0: there is only that one */
	unsigned mixes_levels;
	float level_bias, level_least, level_most;
};

struct sim_kernel {
	const char *name; /* as the device code names it: mangled for C++ */
	size_t arg_count;
	const size_t *arg_sizes; /* bytes; the driver copies each one */
	/* Runs the whole grid; args[i] points at the copy of argument i. */
	void (*run)(const struct sim_launch *launch, void **args);
	/* For the checker: stores what the launch touches in `ranges`, which
	 * has `room` elements, and returns the number of ranges. If this is
	 * NULL, or the number is larger than `room`, each argument of a
	 * pointer's size counts: from where it points to the end of its
	 * owner's memory. */
	size_t (*touches)(const struct sim_launch *launch, void **args,
			  struct sim_touch *ranges, size_t room);
	/* For a kernel that waits: the virtual ns that the launch takes beside
	 * the profile's cost of its threads. NULL means none. */
	uint64_t (*lasts)(const struct sim_launch *launch, void **args);
};

/* Returns the table of this object and sets *count to the number of rows. */
const struct sim_kernel *sim_kernels(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
