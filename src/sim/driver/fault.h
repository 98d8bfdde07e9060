/* MNM_SIM_FAIL: the n-th call of an entry returns a code of our choice. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <cuda.h>

/* Reads "NAME:N:CODE,NAME:N+:CODE"; a wrong part is reported and skipped. */
void fault_open(const char *text);
/* The code for the nth call (from 1) of an entry, or CUDA_SUCCESS. */
CUresult fault_find(unsigned id, unsigned long nth);
int fault_any(void);

#endif
