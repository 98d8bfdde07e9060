/* The kernels of tests/gpu/waits.c, for the simulated device. The first keeps a
 * stream busy. */
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

extern "C" __global__ void touch(unsigned int *at)
{
	*at = 1;
}

#ifdef SIM_KERNELS
SIM_KERNELS(linger, touch)
#endif
