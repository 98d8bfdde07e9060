/* Modules and libraries hold functions, found by name in the kernel tables.
 * A CUkernel is the same object as its CUfunction. */
#ifndef SIM_MODULE_H
#define SIM_MODULE_H

#include <stdbool.h>

#include <cuda.h>

struct code;
struct context;
struct image;
struct old_launch;
struct sim_kernel;
struct symbol;
struct variable;

enum { MODULE_MAGIC = 0x6d6f6475, FUNCTION_MAGIC = 0x66756e63 };

struct function {
	unsigned magic;
	const struct sim_kernel *kernel;
	const struct code *code; /* the kernel's; NULL of a host function */
	struct module *module;
	struct function *next;
	int shared_limit; /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
	int carveout;     /* CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_... */
	bool clusters_larger;   /* ..._NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
	int clusters_policy;    /* ..._CLUSTER_SCHEDULING_POLICY_PREFERENCE */
	struct old_launch *old; /* of old_launch.c, or NULL */
};

struct module {
	unsigned magic;      /* 0 once unloaded; the object is used again */
	struct context *ctx; /* NULL in a library, which belongs to none */
	struct module *prev, *next;
	struct image *image;
	struct function *functions;
	bool listed;            /* the functions are all that it has */
	bool complete;          /* the symbols are all that the image tells */
	struct symbol *symbols; /* the variables that the code has */
	struct variable *variables; /* those that have memory */
};

/* Reads a file, and puts a byte of zero behind its contents, which the caller
 * frees. */
CUresult module_file_read(const char *path, char **contents, size_t *bytes);
void module_close_all(struct context *ctx);
/* Finds or makes the function of that name. If no host function has the name,
 * and no code of the image that can run, says so on stderr and returns
 * CUDA_ERROR_NOT_FOUND. */
CUresult module_function(struct module *module, const char *name,
			 struct function **function);
/* The module, library or function of a handle from the program, or
 * CUDA_ERROR_INVALID_HANDLE. A library is a module, too. */
CUresult module_find(void *handle, struct module **module);
CUresult library_find(CUlibrary handle, struct module **module);
CUresult function_find(void *handle, struct function **function);
/* Shared memory of a block, static and dynamic, that a launch may have. */
size_t function_shared(const struct function *function);

#endif
