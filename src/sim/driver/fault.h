/* MNM_SIM_FAIL: the n-th call of an entry returns a chosen code.
 * MNM_SIM_LATE: the same, but the call does its work first. MNM_SIM_LOST: the
 * call and all later ones that use the device fail. MNM_SIM_NEED: an entry is
 * out of memory while too few bytes are free. MNM_SIM_HIDE: entries that this
 * driver lacks. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>

#include <cuda.h>

/* Reads these variables; a wrong part is reported and skipped. */
void fault_open(void);
/* The code for the nth call (from 1) of an entry, or CUDA_SUCCESS. */
CUresult fault_find(unsigned id, unsigned long nth);
CUresult fault_find_late(unsigned id, unsigned long nth);
/* CUDA_ERROR_OUT_OF_MEMORY if an entry needs more memory than the device has
 * free, or CUDA_SUCCESS. The lock is held. */
CUresult fault_short(unsigned id);
/* From now on each call that uses a device fails with this code. */
void fault_lose(CUresult code);
/* That code for such a call, once there is one, or CUDA_SUCCESS. */
CUresult fault_lost(unsigned id);
bool fault_is_lost(void);
int fault_any(void);
int fault_hides(unsigned id);

#endif
