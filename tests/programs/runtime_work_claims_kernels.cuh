__global__ void add_one(int *values, int count)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		values[i] += 1;
}

/* Every coordinate of its thread, one number each. */
extern "C" __global__ void thread_numbers(int *numbers)
{
	int block = (int)(blockIdx.x +
			  gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
	int thread =
		(int)(threadIdx.x +
		      blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
	int size = (int)(blockDim.x * blockDim.y * blockDim.z);

	numbers[block * size + thread] = block * size + thread;
}

/* A template, and arguments of several sizes. */
template <class T>
__global__ void store_sum(T *out, char a, double b, float4 c, short d)
{
	*out = (T)(a + b + c.x + c.w + d);
}

__global__ void count_threads(unsigned *count, int *largest)
{
	atomicAdd(count, 1u);
	atomicMax(largest, (int)threadIdx.x);
}

#ifdef SIM_KERNELS
SIM_KERNELS(add_one, thread_numbers, store_sum<long>, count_threads)
#endif
