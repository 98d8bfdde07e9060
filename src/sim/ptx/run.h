/* Warps and blocks while they run. */
#ifndef SIM_PTX_RUN_H
#define SIM_PTX_RUN_H

#include "form.h"

/* Runs a warp until its threads have ended or wait, or `most` operations are
 * done. Returns how many were. */
unsigned int ptx_warp_run(struct ptx_warp *warp, unsigned int most);

/* Puts constants and special registers that do not change into a new frame. */
void ptx_frame_fill(struct ptx_warp *warp);
/* Puts in what changes from block to block. */
void ptx_frame_begin(struct ptx_warp *warp);

/* Lets the threads at a barrier go if all have come. */
void ptx_barrier_check(struct ptx_block *block, unsigned int number);

#endif
