/* The host functions that stand for kernels; see ../kernel_table.h. */
#ifndef SIM_KERNEL_H
#define SIM_KERNEL_H

#include "../kernel_table.h"

/* Loads PROGRAM.kernels.so and what MNM_SIM_KERNELS names. Once, without the
 * lock: a library's constructors may run. */
void kernel_open(void);
/* By the name the device code has, or NULL. */
const struct sim_kernel *kernel_find(const char *name);

#endif
