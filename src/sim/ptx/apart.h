/* Whether a kernel's blocks can be run beside each other. */
#ifndef SIM_PTX_APART_H
#define SIM_PTX_APART_H

#include "reach.h"

/* Whether no block can tell when others run: none of the functions that are
 * reached has an instruction by which blocks may learn of each other in an
 * order, or which leaves a trace of that order. */
bool ptx_blocks_apart(const struct ptx_reach *reach);

/* Whether a load or store is one by which threads wait for others, and whether
 * these are in the same block. */
bool ptx_is_ordered(const struct ptx_instruction *ins);
bool ptx_is_within_block(const struct ptx_instruction *ins);

#endif
