/* What a kernel reaches: the functions that it may call, and the variables of
 * all of these, which get places in their spaces. */
#ifndef SIM_PTX_REACH_H
#define SIM_PTX_REACH_H

#include "tree.h"

struct ptx_reach {
	const struct ptx_module *module;
	const struct ptx_function **functions; /* the kernel first */
	size_t function_count;
	bool *function_seen; /* by index in the module */
	const struct ptx_symbol **symbols;
	size_t symbol_count;
	/* By index in the module: where a symbol is in the shared, local or
	 * parameter memory of the kernel, or which one it is of those with a
	 * ptx_variable. SIZE_MAX if it is not reached. A function has one place
	 * for its variables, however often it is called. */
	size_t *places;
	size_t shared_bytes, local_bytes, param_bytes;
	size_t dynamic; /* where dynamic shared memory begins */
	size_t variable_count;
	bool calls_pointers; /* there is a call of an address */
};

/* Returns false if memory is short. */
bool ptx_reach_open(struct ptx_reach *reach, const struct ptx_module *module);
/* Forgets what was reached, and follows this function. */
void ptx_reach_walk(struct ptx_reach *reach,
		    const struct ptx_function *function);
void ptx_reach_close(struct ptx_reach *reach);

/* Fills in what the module's kernels need of shared and local memory. Returns
 * false if memory is short. */
bool ptx_kernels_measure(struct ptx_module *module);

#endif
