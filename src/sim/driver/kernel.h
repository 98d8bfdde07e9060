/* The host functions that stand for kernels; see ../kernel_table.h. */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include <stdbool.h>

#include "../kernel_table.h"

/* What becomes of kernels without a host function. */
enum kernel_mode {
	KERNELS_INTERPRET = 1, /* the true result, where that can be found */
	KERNELS_STANDIN = 2,   /* a made-up one: standin.h */
};

/* Whether one of these is wanted. */
bool kernel_mode(unsigned mode_set);

/* Loads PROGRAM.kernels.so and what MNM_SIM_KERNELS names. Called once and
 * without the lock, since constructors of these libraries may run. */
void kernel_open(void);
/* The host function of a kernel, by the name in the device code; or NULL. */
const struct sim_kernel *kernel_find(const char *name);
/* One of the host functions, the first of which has index 0; NULL if there are
 * no more. */
const struct sim_kernel *kernel_at(size_t index);
/* A variable that these host functions use, and its size; or NULL. */
void *kernel_variable(const char *name, size_t *size);
/* Says on stderr if there are such functions, and they use no variable of this
 * name and size. */
void kernel_variable_check(const char *name, size_t size);

#endif
