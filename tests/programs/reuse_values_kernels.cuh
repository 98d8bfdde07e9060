/* Kernels of reuse_values.c and late_values.c. */
extern "C" __global__ void show(unsigned char *out, cudaTextureObject_t texture,
				unsigned count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = tex1Dfetch<unsigned char>(texture, (int)i);
}

#ifdef SIM_KERNELS
SIM_KERNELS(show)
#endif
