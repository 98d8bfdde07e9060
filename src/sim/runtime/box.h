#ifndef MNM_SIM_RUNTIME_BOX_H
#define MNM_SIM_RUNTIME_BOX_H

#include <driver_types.h>

#include "driver.h"

/* The driver's form of a copy. Each side of it is an array or an address. */
int box_of(const struct cudaMemcpy3DParms *params, CUDA_MEMCPY3D *box);

/* The runtime's form of a copy that the driver tells. */
int box_read(const CUDA_MEMCPY3D *box, struct cudaMemcpy3DParms *params);

#endif
