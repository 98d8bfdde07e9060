/* The kernel that tests/gpu/prices.c launches, for the simulated device. */
extern "C" __global__ void nothing(void)
{
}

#ifdef SIM_KERNELS
SIM_KERNELS(nothing)
#endif
