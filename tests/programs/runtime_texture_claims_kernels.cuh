__global__ void fetch_line(int *out, cudaTextureObject_t texture, int count)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < count)
		out[i] = tex1Dfetch<int>(texture, i);
}

/* Reads (x + by, y + by) of a texture of w columns. */
__global__ void fetch_plane(float *out, cudaTextureObject_t texture, float by,
			    int w, int h)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < w * h)
		out[i] = tex2D<float>(texture, (float)(i % w) + by,
				      (float)(i / w) + by);
}

__global__ void fetch_pixels(float4 *out, cudaTextureObject_t texture, int w,
			     int h)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < w * h)
		out[i] = tex2D<float4>(texture, ((float)(i % w) + 0.5f) / w,
				       ((float)(i / w) + 0.5f) / h);
}

__global__ void add_surface(cudaSurfaceObject_t surface, float step, int w,
			    int h)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int x = i % w * (int)sizeof(float), y = i / w;

	if (i < w * h)
		surf2Dwrite(surf2Dread<float>(surface, x, y) + step, surface, x,
			    y);
}

#ifdef SIM_KERNELS
SIM_KERNELS(fetch_line, fetch_plane, fetch_pixels, add_surface)
#endif
