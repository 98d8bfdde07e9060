/* The entries that take or imply a stream. Each file here is compiled twice:
 * as it stands, and with CUDA_API_PER_THREAD_DEFAULT_STREAM, under which the
 * toolkit's headers give the entries their _ptsz and _ptds names. */
#ifndef MNM_SIM_RUNTIME_WORK_H
#define MNM_SIM_RUNTIME_WORK_H

#include "../runtime.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define work_driver     driver_per_thread
#define WORK_PER_THREAD 1
#else
#define work_driver     driver_legacy
#define WORK_PER_THREAD 0
#endif

#endif
