/* The device code that a program registers before main: its images, and the
 * host addresses that stand for kernels and variables in them. */
#ifndef MNM_SIM_RUNTIME_BINARY_H
#define MNM_SIM_RUNTIME_BINARY_H

#include "driver.h"

/* The driver's kernel for a host function, its image loaded at first use.
 * cudaErrorInvalidDeviceFunction if it was never registered. */
int kernel_find(const void *host, CUkernel *kernel);

/* The address and size of a registered variable in the current context.
 * cudaErrorInvalidSymbol if it is not there. */
int variable_find(const void *host, CUdeviceptr *addr, size_t *size);

#endif
