"""What interpreted kernels can do that takes more of the driver than an
instruction: memory of their own, and textures of all kinds."""

from conftest import POOLS, program
from test_sim_kernels import compiled, run, tool  # noqa: F401 a fixture


OBJECTS = """
#include <cstdio>
struct shape {
	int sides;
	__device__ shape(int sides) : sides(sides) {}
	__device__ virtual ~shape() {}
	__device__ virtual int area() { return sides; }
};
struct square : shape {
	int *more;
	__device__ square(int n) : shape(4), more(new int[n])
	{
		for (int i = 0; i < n; i++)
			more[i] = i;
	}
	__device__ ~square() override { delete[] more; }
	__device__ int area() override { return more[9] + sides; }
};
__device__ shape *made[64];
__global__ void make()
{
	made[threadIdx.x] = threadIdx.x % 2 ? new shape(threadIdx.x)
					   : new square(10);
}
__global__ void sum(int *to)
{
	atomicAdd(to, made[threadIdx.x]->sides);
}
__global__ void end() { delete made[threadIdx.x]; }
int main()
{
	int *to, value;
	cudaMalloc(&to, sizeof(value));
	cudaMemset(to, 0, sizeof(value));
	for (int i = 0; i < 1000; i++) {
		make<<<1, 64>>>();
		if (!i)
			sum<<<1, 64>>>(to);
		end<<<1, 64>>>();
	}
	cudaMemcpy(&value, to, sizeof(value), cudaMemcpyDeviceToHost);
	printf("%d %d\\n", cudaGetLastError(), value);
}
"""


def test_objects_outlive_the_kernel_that_makes_them(box):
    built = compiled(box, OBJECTS, "-cudart", "shared", "-arch=compute_75")
    assert {run(box, built, pool=pool, kernels="interpret")
            for pool in [None, *POOLS]} == {
                f"0 {sum(range(1, 64, 2)) + 32 * 4}\n"}


HEAP = """
#include <cstdio>
__device__ unsigned wrong, none;
__global__ void shuffle(int rounds)
{
	unsigned state = threadIdx.x * 2654435761u + 1, sizes[4] = {};
	unsigned char *held[4] = {};
	for (int i = 0; i < rounds; i++) {
		state = state * 1103515245 + 12345;
		int k = state >> 16 & 3;
		for (unsigned b = 0; b < sizes[k]; b++)
			wrong += held[k][b] != (unsigned char)(threadIdx.x + k);
		free(held[k]);
		sizes[k] = i < rounds - 40 ? (state >> 18) % 300 : 0;
		held[k] = sizes[k] ? (unsigned char *)malloc(sizes[k]) : NULL;
		if (!held[k]) {
			none += sizes[k] != 0;
			sizes[k] = 0;
		}
		for (unsigned b = 0; b < sizes[k]; b++)
			held[k][b] = threadIdx.x + k;
	}
	for (int k = 0; k < 4; k++)
		free(held[k]);
}
__global__ void most(int *found)
{
	void *all = malloc(8 << 20);
	*found = all != NULL;
	free(all);
}
int main()
{
	unsigned first, second;
	int *found;
	cudaMallocManaged(&found, sizeof(*found));
	shuffle<<<1, 64>>>(200);
	most<<<1, 1>>>(found);
	cudaDeviceSynchronize();
	cudaMemcpyFromSymbol(&first, wrong, sizeof(first));
	cudaMemcpyFromSymbol(&second, none, sizeof(second));
	printf("%d %u %u %d", cudaGetLastError(), first, second, *found);
}
"""


def test_what_kernels_free_is_one_piece_again(box):
    built = compiled(box, HEAP, "-cudart", "shared", "-arch=compute_75")
    assert run(box, built, kernels="interpret") == "0 0 0 1"


TEXTURES = """
#include <cstdio>
typedef cudaTextureObject_t tex;
__global__ void look(float *to, tex cube, tex cubes, tex levels, tex view,
		     tex plane)
{
	to[0] = texCubemap<float>(cube, 1, 0.9f, 0.9f);
	to[1] = texCubemap<float>(cube, -0.1f, -0.2f, -3);
	to[2] = texCubemapLayered<float>(cubes, 0.1f, -5, 0.1f, 1);
	to[3] = tex2DLod<float>(levels, 0.1f, 0.1f, 0);
	to[4] = tex2DLod<float>(levels, 0.1f, 0.1f, 1);
	to[5] = tex2DLod<float>(levels, 0.1f, 0.1f, 1.5f);
	to[6] = tex2DGrad<float>(levels, 0.1f, 0.1f, make_float2(1, 0),
				 make_float2(0, 0.5f));
	float4 four = tex2Dgather<float4>(plane, 1, 1, 0);
	to[7] = four.x * 1000 + four.y * 100 + four.z * 10 + four.w;
	to[8] = tex2DLod<float>(view, 0.1f, 0.1f, 0);
	to[9] = tex2DLod<float>(view, 0.1f, 0.1f, 9);
}
static float values[1024];
static const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
static void fill(cudaArray_t array, int width, int height, int depth)
{
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(values, width * sizeof(float), width,
					  height);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(width, height, depth);
	copy.kind = cudaMemcpyHostToDevice;
	cudaMemcpy3D(&copy);
}
static tex shown(cudaResourceDesc resource, cudaResourceViewDesc *view = NULL)
{
	cudaTextureDesc how = {};
	tex made = 0;
	how.normalizedCoords = resource.resType != cudaResourceTypeArray;
	how.mipmapFilterMode = cudaFilterModeLinear;
	how.maxMipmapLevelClamp = 10;
	for (int i = 0; i < 3; i++)
		how.addressMode[i] = cudaAddressModeClamp;
	cudaCreateTextureObject(&made, &resource, &how, view);
	return made;
}
/* Sides, or the plane, of 2 by 2 elements: 0, 1, 2, ... */
static tex array(int depth, unsigned flags)
{
	cudaResourceDesc resource = {};
	for (int i = 0; i < 4 * 12; i++)
		values[i] = i;
	cudaMalloc3DArray(&resource.res.array.array, &one,
			  make_cudaExtent(2, 2, depth), flags);
	fill(resource.res.array.array, 2, 2, depth ? depth : 1);
	resource.resType = cudaResourceTypeArray;
	return shown(resource);
}
/* Level n of 4 is full of 10 * n + 5; or a view of two of them. */
static tex mipmap(bool part_of_it)
{
	cudaResourceViewDesc view = {};
	cudaResourceDesc resource = {};
	cudaMallocMipmappedArray(&resource.res.mipmap.mipmap, &one,
				 make_cudaExtent(8, 8, 0), 4);
	for (int level = 0; level < 4; level++) {
		cudaArray_t part;
		cudaGetMipmappedArrayLevel(&part, resource.res.mipmap.mipmap,
					   level);
		for (int i = 0; i < 64; i++)
			values[i] = 10 * level + 5;
		fill(part, 8 >> level, 8 >> level, 1);
	}
	resource.resType = cudaResourceTypeMipmappedArray;
	view.format = cudaResViewFormatFloat1;
	view.width = view.height = 8;
	view.firstMipmapLevel = 1;
	view.lastMipmapLevel = 2;
	return shown(resource, part_of_it ? &view : NULL);
}
int main()
{
	float *to, out[10];
	cudaMalloc(&to, sizeof(out));
	look<<<1, 1>>>(to, array(6, cudaArrayCubemap),
		       array(12, cudaArrayCubemap | cudaArrayLayered),
		       mipmap(false), mipmap(true), array(0, cudaArrayTextureGather));
	cudaMemcpy(out, to, sizeof(out), cudaMemcpyDeviceToHost);
	printf("%d", cudaGetLastError());
	for (int i = 0; i < 10; i++)
		printf(" %g", out[i]);
}
"""


def test_textures_have_cubes_levels_of_detail_and_gathers(box):
    built = compiled(box, TEXTURES, "-cudart", "shared", "-arch=compute_75")
    # Side 0 at (0, 0); side 5 at (1, 1); side 3 of the second cube at (1, 0).
    assert run(box, built, kernels="interpret") == (
        f"0 0 {5 * 4 + 3} {(6 + 3) * 4 + 1} 5 15 20 35 2310 15 25")


def test_products_of_matrices_are_those_of_the_host(box):
    assert run(box, program("own_matrices"), kernels="interpret",
               sim="a100") == "done\n"
