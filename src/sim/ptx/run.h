/* Warps and blocks while they run. */
#ifndef SIM_PTX_RUN_H
#define SIM_PTX_RUN_H

#include "form.h"

/* Runs a warp until its threads have ended or wait, or `most` operations are
 * done. Returns how many were. */
unsigned int ptx_warp_run(struct ptx_warp *warp, unsigned int most);

/* Calls of the routine in `target`, and of those whose addresses lanes have;
 * the way back; and the return from routine `target`. */
void ptx_routine_enter(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask, uint32_t back);
void ptx_pointer_enter(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask, uint32_t back);
void ptx_routine_leave(struct ptx_warp *warp, const struct ptx_op *op,
		       uint32_t mask);

/* Puts constants and special registers that do not change into a new frame. */
void ptx_frame_fill(struct ptx_warp *warp);
/* Puts in what changes from block to block. */
void ptx_frame_begin(struct ptx_warp *warp);

/* Lets the threads at a barrier go if all have come. */
void ptx_barrier_check(struct ptx_block *block, unsigned int number);

#endif
