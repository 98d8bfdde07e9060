/* Kernels in the program's own device code, for which there is no host
 * function: they are interpreted, or a stand-in makes up a result
 * (MNM_SIM_KERNELS says which). All calls need the lock. */
#ifndef SIM_CODE_H
#define SIM_CODE_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "../kernel_table.h"
#include "../ptx/ptx.h"
#include "ptx_body.h"

struct context;
struct heap;
struct image;
struct module;

struct code {
	struct code *next; /* of the same image */
	struct image *image;
	struct sim_kernel row;  /* its name and parameters; no functions */
	size_t *places;         /* of parameters in a buffer of them */
	struct ptx_module *ptx; /* NULL if only its parameters are known */
	const struct ptx_kernel *kernel; /* NULL likewise */
	struct ptx_program *program;     /* NULL: a stand-in */
	struct ptx_use *uses;            /* the addresses that it is given */
	size_t use_count;
	struct ptx_body body; /* for a stand-in */
};

/* Finds a kernel of an image. CUDA_ERROR_NOT_FOUND, and a line on stderr that
 * says why, if it has none that can run here. */
CUresult code_find(struct image *image, const char *name,
		   const struct code **code);
/* Keeps the code's image, or no longer. It may be NULL. */
void code_keep(const struct code *code);
void code_leave(const struct code *code);
/* Frees a list of them. */
void codes_free(struct code *codes);
/* The name of a kernel in the PTX of an image, the first of which has index 0.
 * NULL if there are no more. */
const char *code_name(struct image *image, size_t index);
/* A variable of an image, and the module of PTX that has it; NULL if none has.
 */
const struct ptx_variable *code_variable(struct image *image, const char *name,
					 const struct ptx_module **module);
/* Limits that it has by itself: threads of a block, and bytes of static shared
 * memory and of each thread's local memory. `code` may be NULL. */
unsigned code_threads(const struct code *code);
size_t code_shared(const struct code *code);

/* Memory that an address points into, from there on. */
struct span {
	CUdeviceptr addr;
	size_t size;
};

/* What a launch finds at its call, since the program may change it later. It
 * is in one piece: launches of a graph copy it. */
struct bound {
	uint64_t scalars;  /* a hash of the arguments that are no addresses */
	size_t stack;      /* bytes of a thread's stack */
	struct heap *heap; /* NULL if the kernel needs none */
	/* One for each use, then one for each variable of the module. */
	struct span spans[];
};

size_t bound_size(const struct code *code);
/* Fills it for a launch in a context. args[i] points at argument i. */
CUresult bound_fill(const struct code *code, struct module *module,
		    struct context *ctx, const struct sim_launch *shape,
		    void **args, struct bound *bound);

#endif
