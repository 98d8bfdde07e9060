/* Variables of device code: memory that belongs to a module, or to a library
 * and a context. All calls need the lock. */
#ifndef SIM_VARIABLE_H
#define SIM_VARIABLE_H

#include <cuda.h>

struct block;
struct context;
struct module;
struct span;
struct variable;

/* The block of a variable has gone: its context ends. */
void variable_forget(struct variable *variable);
/* Frees all variables of a module, whose work is over. */
void variables_close(struct module *module);
/* Finds or makes a variable in a context: its memory. CUDA_ERROR_NOT_FOUND. */
CUresult variable_span(struct module *module, const char *name,
		       struct context *ctx, struct span *span);
/* Waits until nothing can use them. The lock may have been dropped. */
void variables_wait(struct module *module);

/* Says that a library has a variable, as the compiler's generated code tells
 * the simulated runtime, which finds this function by dlsym: the driver reads
 * no fat binary. The lock is not held. */
void sim_variable(CUlibrary library, const char *name, size_t size,
		  int managed);

#endif
