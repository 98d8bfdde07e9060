/* Every CUDA call goes through CUDA(). A call that fails ends the program. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

#define CUDA(call) cuda_check((call), __FILE__, __LINE__, #call)

static inline void cuda_check(cudaError_t error, const char *file, int line,
			      const char *call)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
		cudaGetErrorString(error));
	exit(1);
}

#endif
