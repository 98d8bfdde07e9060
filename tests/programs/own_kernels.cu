/* Kernels that no host function stands for. own_kernels PART runs one part and
 * prints what came back. */
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>
#include <sys/wait.h>

namespace
{
constexpr int COUNT = 1 << 12, BLOCK = 128;

#define TRY(call) try_call(call, #call)

void try_call(cudaError_t error, const char *call)
{
	if (!error)
		return;
	printf("%s: %s\n", call, cudaGetErrorName(error));
	exit(1);
}

struct scale {
	const float *from;
	float factor;
};

__device__ int table[4] = {3, 1, 4, 1};
__constant__ int offsets[2];

__global__ void add(const float *a, const float *b, float *c, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		c[i] = a[i] + b[i];
}

__global__ void scaled(scale by, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = by.from[i] * by.factor;
}

__global__ void __launch_bounds__(BLOCK) sum(const float *from, float *to)
{
	extern __shared__ float sums[];
	__shared__ float last;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	sums[threadIdx.x] = from[i];
	__syncthreads();
	for (int half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			sums[threadIdx.x] += sums[threadIdx.x + half];
		__syncthreads();
	}
	if (!threadIdx.x)
		last = sums[0];
	__syncthreads();
	if (threadIdx.x == 1)
		atomicAdd(to, last);
}

__global__ void look(int *out)
{
	out[threadIdx.x] = table[threadIdx.x] + offsets[threadIdx.x % 2];
	table[threadIdx.x] = 0;
}

__global__ void tell(int number)
{
	printf("thread %d of block %d: %d\n", threadIdx.x, blockIdx.x, number);
}

__global__ void wild(int *out)
{
	*out = 1;
}

__global__ void demand(int number)
{
	assert(number == 1);
}

template <typename T> T *device_array(size_t count)
{
	T *array;

	TRY(cudaMalloc(&array, count * sizeof(T)));
	return array;
}

float *numbers(float first)
{
	static float values[COUNT];
	float *array = device_array<float>(COUNT);

	for (int i = 0; i < COUNT; i++)
		values[i] = first + i;
	TRY(cudaMemcpy(array, values, sizeof(values), cudaMemcpyHostToDevice));
	return array;
}

template <typename T> void print(const T *array, size_t count)
{
	T *values = new T[count];
	double total = 0;

	TRY(cudaMemcpy(values, array, count * sizeof(T),
		       cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < count; i++)
		total += values[i] * (i % 7 + 1);
	printf("%g %g %g\n", (double)values[0], (double)values[count - 1],
	       total);
	delete[] values;
}

void part_add()
{
	float *a = numbers(0), *b = numbers(1), *c = device_array<float>(COUNT);

	add<<<COUNT / BLOCK, BLOCK>>>(a, b, c, COUNT - 1);
	TRY(cudaGetLastError());
	add<<<COUNT / BLOCK, BLOCK>>>(c, c, b, COUNT - 1);
	print(b, COUNT - 1);
}

void part_struct()
{
	float *a = numbers(1), *b = device_array<float>(COUNT);

	scaled<<<COUNT / BLOCK, BLOCK>>>({a, 3}, b);
	TRY(cudaGetLastError());
	print(b, COUNT);
}

void part_sum()
{
	float *a = numbers(0), *b = device_array<float>(1);

	TRY(cudaMemset(b, 0, sizeof(*b)));
	sum<<<COUNT / BLOCK, BLOCK, BLOCK * sizeof(float)>>>(a, b);
	TRY(cudaGetLastError());
	print(b, 1);
}

void part_symbol()
{
	const int own[2] = {10, 20};
	int *out = device_array<int>(4), values[4];

	TRY(cudaMemcpyFromSymbol(values, table, sizeof(values)));
	printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
	TRY(cudaMemcpyToSymbol(offsets, own, sizeof(own)));
	look<<<1, 4>>>(out);
	TRY(cudaGetLastError());
	print(out, 4);
	TRY(cudaMemcpyFromSymbol(values, table, sizeof(values)));
	printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
}

void part_printf()
{
	tell<<<2, 2>>>(7);
	TRY(cudaGetLastError());
	TRY(cudaDeviceSynchronize());
}

void part_graph()
{
	float *a = numbers(0), *b = numbers(1);
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	TRY(cudaStreamCreate(&stream));
	TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	add<<<COUNT / BLOCK, BLOCK, 0, stream>>>(a, b, a, COUNT);
	TRY(cudaGetLastError());
	TRY(cudaStreamEndCapture(stream, &graph));
	TRY(cudaGraphInstantiate(&exec, graph, 0));
	TRY(cudaGraphLaunch(exec, stream));
	TRY(cudaGraphLaunch(exec, stream));
	TRY(cudaStreamSynchronize(stream));
	print(a, COUNT);
}

void part_attributes()
{
	cudaFuncAttributes attributes;
	int blocks;

	TRY(cudaFuncGetAttributes(&attributes, sum));
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, BLOCK,
							  16 << 10));
	printf("%d threads, %zu and %d bytes shared, %d blocks\n",
	       attributes.maxThreadsPerBlock, attributes.sharedSizeBytes,
	       attributes.maxDynamicSharedSizeBytes, blocks);
	sum<<<1, 2 * BLOCK, BLOCK * sizeof(float)>>>(NULL, NULL);
	printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

void errors_print()
{
	void *block = &block;

	printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
	printf(" %s", cudaGetErrorName(cudaMalloc(&block, 1)));
	printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
}

void part_wild()
{
	wild<<<1, 1>>>((int *)16);
	printf("%s ", cudaGetErrorName(cudaGetLastError()));
	errors_print();
}

void part_assert()
{
	demand<<<1, 1>>>(2);
	errors_print();
}

int child_signals;

void count_child(int)
{
	child_signals++;
}

/* A child of this program's own is found, and no other. */
void part_children()
{
	int status;

	signal(SIGCHLD, count_child);
	tell<<<1, 1>>>(1);
	TRY(cudaGetLastError());
	TRY(cudaDeviceSynchronize());
	printf("%d signals, %d\n", child_signals, (int)wait(&status));
}

const struct {
	const char *name;
	void (*run)();
} parts[] = {
	{"children", part_children},

	{"add", part_add},
	{"struct", part_struct},
	{"sum", part_sum},
	{"symbol", part_symbol},
	{"printf", part_printf},
	{"graph", part_graph},
	{"wild", part_wild},
	{"assert", part_assert},
	{"attributes", part_attributes},
};
} // namespace

int main(int argc, char **argv)
{
	for (const auto &part : parts) {
		if (argc < 2 || strcmp(argv[1], part.name))
			continue;
		part.run();
		return 0;
	}
	fprintf(stderr, "usage: own_kernels PART\n");
	return 2;
}
