/* The kernel that tests/gpu/waits.c keeps a stream busy with, for the simulated
 * device. */
#ifdef SIM_KERNELS
#include <time.h>
#endif

extern "C" __global__ void linger(unsigned long long ns)
{
#ifdef SIM_KERNELS
	struct timespec time = {(time_t)(ns / 1000000000),
				(long)(ns % 1000000000)};

	nanosleep(&time, NULL);
#endif
}

#ifdef SIM_KERNELS
SIM_KERNELS(linger)
#endif
