/* The device code that a program registers before main: its images, and the
 * host addresses that stand for kernels and variables in them. */
#ifndef MNM_SIM_RUNTIME_BINARY_H
#define MNM_SIM_RUNTIME_BINARY_H

#include "driver.h"

/* Finds the driver's kernel for a host function, and loads its image at first
 * use. cudaErrorInvalidDeviceFunction if there is none. */
int kernel_find(const void *host, CUkernel *kernel);
/* The same for a launch, for which what was never registered is
 * cudaErrorInvalidResourceHandle. */
int kernel_launched(const void *host, CUkernel *kernel);

/* The host function of a kernel that was found so, or NULL. */
const void *kernel_host(CUkernel kernel);

/* Finds its function in the current context, with the same error. */
int function_find(const void *host, CUfunction *function);

/* Finds the address and size of a registered variable in the current context.
 * cudaErrorInvalidSymbol if there is none. */
int variable_find(const void *host, CUdeviceptr *addr, size_t *size);
/* Finds a part of it. cudaErrorInvalidValue if it reaches over the end. */
int variable_range(const void *host, size_t offset, size_t count, char **range);

#endif
