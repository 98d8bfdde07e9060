#include "runtime.h"

static __thread struct thread thread;

struct thread *thread_current(void)
{
	return &thread;
}

cudaError_t runtime_result(int res)
{
	if (res)
		thread.last = (cudaError_t)res;
	return (cudaError_t)res;
}

EXPORT cudaError_t cudaGetLastError(void)
{
	cudaError_t last = thread.last;

	thread.last = cudaSuccess;
	return last;
}

EXPORT cudaError_t cudaPeekAtLastError(void)
{
	return thread.last;
}
