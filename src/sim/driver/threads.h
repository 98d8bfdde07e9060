/* How many threads run the blocks of a kernel that is interpreted. */
#ifndef SIM_THREADS_H
#define SIM_THREADS_H

#include <cuda.h>

/* Reads MNM_SIM_THREADS. If it is wrong, says so on stderr and returns
 * CUDA_ERROR_NO_DEVICE. */
CUresult threads_open(void);
/* What it says; without it, how many processors the calling thread may use. */
unsigned threads_most(void);

#endif
