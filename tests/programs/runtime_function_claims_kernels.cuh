extern "C" __global__ void add_step(int *values, int step)
{
	values[blockIdx.x * blockDim.x + threadIdx.x] += step;
}

#ifdef SIM_KERNELS
SIM_KERNELS(add_step)
#endif
