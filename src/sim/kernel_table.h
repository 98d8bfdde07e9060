/* How the simulated device finds the host function that stands for a kernel.
 *
 * A program's kernels are compiled for the CPU into a shared object beside
 * it, PROGRAM.kernels.so (or one named in MNM_SIM_KERNELS, colon-separated).
 * That object exports sim_kernels(). src/sim/kernel.hpp writes it for C++. */
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

struct sim_kernel {
	const char *name; /* as the device code names it: mangled for C++ */
	size_t arg_count;
	const size_t *arg_sizes; /* bytes; the driver copies each at launch */
	/* Runs the whole grid; args[i] points at the copy of argument i. */
	void (*run)(const struct sim_launch *launch, void **args);
	/* For the checker: puts what the launch touches into `ranges`, which
	 * has room for so many, and returns how many there are. NULL: what
	 * each argument of a pointer's size points at, to its owner's end. */
	size_t (*touches)(const struct sim_launch *launch, void **args,
			  struct sim_touch *ranges, size_t room);
	/* What the launch takes on the virtual clock, ns, beside the profile's
	 * cost of its threads: for a kernel that waits. NULL: nothing. */
	uint64_t (*lasts)(const struct sim_launch *launch, void **args);
};

/* The table of this object; *count is the number of its rows. */
const struct sim_kernel *sim_kernels(size_t *count);

#ifdef __cplusplus
}
#endif

#endif
