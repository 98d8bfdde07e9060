/* What a kernel reaches: the functions that it may call, and the variables of
 * all of these, which get places in their spaces. */
#ifndef SIM_PTX_REACH_H
#define SIM_PTX_REACH_H

#include "tree.h"

/* Where a function has its local variables and parameters in the memory of a
 * thread, as long as it is called once. */
struct ptx_frame {
	size_t begin, bytes, align;
};

struct ptx_reach {
	const struct ptx_module *module;
	const struct ptx_function **functions; /* the kernel first */
	struct ptx_frame *frames;              /* of each of them */
	size_t function_count;
	/* The first so many are called by their names. The others are those
	 * whose address is taken, and what they call. */
	size_t direct_count;
	size_t *numbers; /* by index in the module: in `functions`, plus 1 */
	const struct ptx_symbol **symbols;
	size_t symbol_count;
	/* By index in the module: where a symbol is in shared memory or in
	 * that of a thread, or which one it is of those with a ptx_variable.
	 * SIZE_MAX if it is not reached. */
	size_t *places;
	size_t shared_bytes, thread_bytes;
	size_t local_bytes; /* of thread_bytes: local variables alone */
	size_t dynamic;     /* where dynamic shared memory begins */
	size_t variable_count;
	bool calls_pointers; /* there is a call of an address */
};

/* Returns false if memory is short. */
bool ptx_reach_open(struct ptx_reach *reach, const struct ptx_module *module);
/* Forgets what was reached, and follows this function. */
void ptx_reach_walk(struct ptx_reach *reach,
		    const struct ptx_function *function);
void ptx_reach_close(struct ptx_reach *reach);

/* Which one a function is in `functions`; SIZE_MAX if it is not reached. */
size_t ptx_reach_number(const struct ptx_reach *reach,
			const struct ptx_function *function);
/* Sets recursive[i] for each function that may be called again before it has
 * returned, and possibly for more. */
void ptx_reach_recursion(const struct ptx_reach *reach, bool *recursive);

/* Fills in what the module's kernels need of shared and local memory. Returns
 * false if memory is short. */
bool ptx_kernels_measure(struct ptx_module *module);

#endif
