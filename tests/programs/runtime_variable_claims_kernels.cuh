__constant__ int scales[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__managed__ int shared_count = 6;

__global__ void scale_values(int *values)
{
	values[threadIdx.x] *= scales[threadIdx.x];
}

__global__ void count_up(int step)
{
	atomicAdd(&counter, step);
	atomicAdd(&shared_count, 1);
}

#ifdef SIM_KERNELS
SIM_KERNELS(scale_values, count_up)
#endif
