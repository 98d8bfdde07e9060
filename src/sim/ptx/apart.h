/* Whether a kernel's blocks can be run beside each other. */
#ifndef SIM_PTX_APART_H
#define SIM_PTX_APART_H

#include "reach.h"

/* Whether no block can tell when others run: none of the functions that are
 * reached has an instruction by which blocks may learn of each other in an
 * order, or which leaves a trace of that order. */
bool ptx_blocks_apart(const struct ptx_reach *reach);

#endif
