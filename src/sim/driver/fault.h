/* MNM_SIM_FAIL: the n-th call of an entry returns a code of our choice.
 * MNM_SIM_LATE: the same, once it has done what it does.
 * MNM_SIM_LOST: so do all calls after it that use the device.
 * MNM_SIM_NEED: an entry is out of memory while less than so much is free.
 * MNM_SIM_HIDE: entries that this driver has not. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <cuda.h>

/* Reads these variables; a wrong part is reported and skipped. */
void fault_open(void);
/* The code for the nth call (from 1) of an entry, or CUDA_SUCCESS. */
CUresult fault_find(unsigned id, unsigned long nth);
CUresult fault_find_late(unsigned id, unsigned long nth);
/* The same where an entry needs memory that the device has not; lock held. */
CUresult fault_short(unsigned id);
int fault_any(void);
int fault_hides(unsigned id);

#endif
