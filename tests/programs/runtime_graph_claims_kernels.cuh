__global__ void add_step(int *values, int step, int count)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		values[i] += step;
}

#ifdef SIM_KERNELS
SIM_KERNELS(add_step)
#endif
