/* Kernels whose PTX ptx_kernels_test.c runs. */
#include <cstdio>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

#include "ptx_sources.h"

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__constant__ float weights[4] = {0.5f, 0.25f, 0.125f, 1.0f};
__device__ unsigned int hits;
__device__ unsigned long long longest = 7;

extern "C" {

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
	int i = INDEX;

	if (i < n)
		c[i] = a[i] + b[i];
}

__global__ void block_sum(const int *from, int *to, int n)
{
	__shared__ int sums[256];

	sums[threadIdx.x] = (int)INDEX < n ? from[INDEX] : 0;
	__syncthreads();
	for (unsigned int half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (!threadIdx.x)
		to[blockIdx.x] = sums[0];
}

__global__ void matrix_multiply(const float *a, const float *b, float *c, int n)
{
	__shared__ float left[16][16], right[16][16];
	int row = blockIdx.y * 16 + threadIdx.y;
	int column = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;

	for (int tile = 0; tile < n; tile += 16) {
		left[threadIdx.y][threadIdx.x] =
			a[row * n + tile + threadIdx.x];
		right[threadIdx.y][threadIdx.x] =
			b[(tile + threadIdx.y) * n + column];
		__syncthreads();
		for (int k = 0; k < 16; k++)
			sum += left[threadIdx.y][k] * right[k][threadIdx.x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

__global__ void histogram(const unsigned char *from, unsigned int *bins, int n)
{
	extern __shared__ unsigned int own[];

	own[threadIdx.x] = 0;
	__syncthreads();
	for (int i = INDEX; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&own[from[i]], 1u);
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
	atomicInc(&hits, 1000);
	atomicMax(&longest, (unsigned long long)INDEX);
}

__global__ void warp_scan(const int *from, int *to, int *totals)
{
	int lane = threadIdx.x & 31, value = from[INDEX];

	for (int by = 1; by < 32; by *= 2) {
		int other = __shfl_up_sync(0xffffffff, value, by);

		if (lane >= by)
			value += other;
	}
	to[INDEX] = value;
	value = from[INDEX];
	for (int by = 16; by; by /= 2)
		value += __shfl_xor_sync(0xffffffff, value, by);
	if (!lane)
		totals[INDEX / 32] = value;
}

__global__ void warp_votes(const int *from, unsigned int *to)
{
	int value = from[INDEX];
	unsigned int odd = __ballot_sync(0xffffffff, value & 1);
	unsigned int same = __match_any_sync(0xffffffff, value & 3);

	to[4 * INDEX] = odd;
	to[4 * INDEX + 1] = same;
	to[4 * INDEX + 2] = __any_sync(0xffffffff, value == 5) |
			    __all_sync(0xffffffff, value < 100) << 1;
	if (value & 1)
		to[4 * INDEX + 3] = __popc(__activemask()) +
				    __shfl_sync(odd, value, __ffs(odd) - 1);
	else
		to[4 * INDEX + 3] = __reduce_add_sync(~odd, value);
}

__global__ void mandelbrot(int *to, int width, float step)
{
	int x = INDEX, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < width)
		to[y * width + x] =
			mandelbrot_count(x * step - 2, y * step - 1);
}

__global__ void monte_carlo(int *to, int tries)
{
	to[INDEX] = inside_circle(INDEX, tries);
}

__global__ void transpose(const double *from, double *to, int n)
{
	__shared__ double tile[16][17];
	int x = blockIdx.x * 16 + threadIdx.x,
	    y = blockIdx.y * 16 + threadIdx.y;

	tile[threadIdx.y][threadIdx.x] = from[y * n + x];
	__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
	to[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void bitonic_sort(unsigned int *list)
{
	extern __shared__ unsigned int keys[];
	unsigned int i = threadIdx.x;

	keys[i] = list[i];
	for (unsigned int size = 2; size <= blockDim.x; size *= 2)
		for (unsigned int by = size / 2; by; by /= 2) {
			unsigned int other = i ^ by;

			__syncthreads();
			if (other > i &&
			    (keys[i] > keys[other]) == !(i & size)) {
				unsigned int kept = keys[i];

				keys[i] = keys[other];
				keys[other] = kept;
			}
		}
	__syncthreads();
	list[i] = keys[i];
}

__global__ void choose(const long long *x, const long long *y, long long *to)
{
	to[INDEX] = chosen(INDEX % 13, x[INDEX], y[INDEX]);
}

__global__ void median(const int *from, int *to, int n)
{
	if ((int)INDEX + 9 <= n)
		to[INDEX] = sorted_median(from + INDEX);
}

__global__ void weigh(struct particle p, double by, double *to, int *kinds)
{
	int own = INDEX;

	p.kind += INDEX;
	to[INDEX] = weighed(p, by * INDEX, &own) * weights[INDEX & 3];
	kinds[INDEX] = own;
}

__global__ void doubles(const double *from, double *to)
{
	to[2 * INDEX] = polynomial(from[INDEX]);
	to[2 * INDEX + 1] = converted(from[INDEX]);
}

__global__ void halves(const float *from, float *to)
{
	__half x = __float2half(from[INDEX]);

	to[INDEX] = __half2float(__hadd(__hmul(x, x), x));
}

__device__ int twice(int x)
{
	return 2 * x;
}

__device__ int square(int x)
{
	return x * x;
}

typedef int (*unary)(int);
__device__ unary both[2] = {twice, square};

__global__ void by_pointer(int *to)
{
	to[INDEX] = both[INDEX & 1](INDEX);
}

__global__ void say(int x, double y)
{
	if (INDEX == 3)
		printf("%d %5.2f %s|%-4x|%c%% %6s %.2s|%3c\n", x, y, "text",
		       255u, 'c', "to", "xyz", 'd');
}

/* A lock that lanes of a warp, warps and blocks wait for. */
__global__ void locked(int *lock, int *sum)
{
	bool done = false;

	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			*(volatile int *)sum += 1;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}

/* Each block waits until all are there. */
__global__ void all_blocks(unsigned int *count, int *to)
{
	if (!threadIdx.x) {
		atomicAdd(count, 1);
		while (*(volatile unsigned int *)count < gridDim.x)
			;
	}
	__syncthreads();
	to[INDEX] = *(volatile unsigned int *)count;
}

/* All blocks write, and then all of them read. */
__global__ void whole_grid(int *list)
{
	auto grid = cooperative_groups::this_grid();
	int size = (int)grid.size(), rank = (int)grid.thread_rank(), sum = 0;

	for (int round = 0; round < 3; round++) {
		list[rank] = round * rank;
		grid.sync();
		for (int i = 0; i < size; i++)
			sum += list[i];
		grid.sync();
	}
	list[rank] = sum;
}

/* The sums of groups of two warps, by shared memory that is the system's. What
 * is the kernel's own stays as it is. */
__global__ void two_warps(const int *from, int *to)
{
	extern __shared__ int kept[];
	__shared__ cooperative_groups::block_tile_memory<256> unused;
	auto block = cooperative_groups::this_thread_block(unused);
	auto pair = cooperative_groups::tiled_partition<64>(block);

	kept[threadIdx.x] = from[threadIdx.x];
	to[threadIdx.x] = cooperative_groups::reduce(
		pair, from[threadIdx.x], cooperative_groups::plus<int>());
	pair.sync();
	to[threadIdx.x] += 1000 * kept[threadIdx.x];
}

__global__ void divide_wide(const __int128 *x, const __int128 *y, __int128 *to)
{
	to[2 * INDEX] = x[INDEX] / y[INDEX];
	to[2 * INDEX + 1] = x[INDEX] % y[INDEX];
}

__global__ void mathematics(const double *from, double *to)
{
	double x = from[INDEX];

	to[INDEX] = sin(x) + exp(x) + log(x) + pow(x, 1.5) + erf(x) + cbrt(x) +
		    fmod(x, 0.3) + rint(x) + tgamma(x) + atan2(x, 2.0);
}

/* Half of a warp does not wait for the other, of which a lane comes late. */
__global__ void half_warps(int *to, int late, int rounds)
{
	int lane = threadIdx.x, value = lane;
	unsigned int all = lane < 16 ? 0xffff : 0xffff0000;

	if (lane == late) {
		unsigned int x = lane;

		for (int i = 0; i < rounds; i++)
			x = x * 1664525 + 1013904223;
		value += 100 + (x == 12345);
	}
	value = __shfl_sync(all, value, lane ^ 1);
	__syncwarp();
	to[lane] = value;
}

/* The first block leaves half of the arrivals at a barrier. */
__global__ void left_behind(int *to)
{
	__shared__ volatile int shared;

	if (blockIdx.x == 0) {
		if (threadIdx.x < 32)
			asm volatile("bar.arrive 1, 64;" ::: "memory");
		return;
	}
	if (threadIdx.x == 32)
		shared = 9;
	asm volatile("bar.sync 1, 64;" ::: "memory");
	to[threadIdx.x] = shared;
}

__global__ void endless(int *to)
{
	while (*(volatile int *)to == 0)
		;
}

__global__ void out_of_bounds(int *to, long long at)
{
	to[at] = 1;
}

__global__ void fast(const float *from, float *to)
{
	float x = from[INDEX];

	to[4 * INDEX] = __sinf(x);
	to[4 * INDEX + 1] = __expf(x);
	to[4 * INDEX + 2] = __fdividef(x, 3) + __fsqrt_rz(x) + __fadd_ru(x, 1);
	to[4 * INDEX + 3] = __saturatef(x - 1) + rsqrtf(x) + sinf(x);
}
}
