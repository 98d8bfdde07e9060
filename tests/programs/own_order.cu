/* Work in several streams on memory that is freed and requested over and over,
 * by kernels that no host function stands for. own_order PART [broken] prints a
 * hash of what came back. Each part is legal: cudaFree waits. `broken` leaves
 * out an order that the part needs, natively as well. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

namespace
{
constexpr int STEPS = 12, STREAMS = 3, COUNT = 1 << 13, BLOCK = 256;

bool broken;
cudaStream_t streams[STREAMS];

#define TRY(call) try_call(call, #call)

void try_call(cudaError_t error, const char *call)
{
	if (!error)
		return;
	printf("%s: %s\n", call, cudaGetErrorName(error));
	exit(1);
}

__global__ void make(float *to, int seed)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = (float)(i % 97 + seed);
}

__global__ void mix(const float *a, const float *b, float *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = a[i] * 0.5f + b[i];
}

__global__ void gather(const float *from, const int *index, float *to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] += from[index[i]];
}

__global__ void spread(int *index, int step)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	index[i] = (i * 5 + step) % (gridDim.x * blockDim.x);
}

template <typename T> T *request(size_t count = COUNT)
{
	T *array;

	TRY(cudaMalloc(&array, count * sizeof(T)));
	return array;
}

float *zeros()
{
	float *array = request<float>();

	TRY(cudaMemset(array, 0, COUNT * sizeof(float)));
	TRY(cudaDeviceSynchronize());
	return array;
}

void give_back(void *array)
{
	TRY(cudaFree(array));
}

#define RUN(stream, kernel, ...) \
	do { \
		kernel<<<COUNT / BLOCK, BLOCK, 0, stream>>>(__VA_ARGS__); \
		TRY(cudaGetLastError()); \
	} while (0)

uint64_t hash = 14695981039346656037u;

void take(const float *array)
{
	static uint32_t values[COUNT];

	TRY(cudaDeviceSynchronize());
	TRY(cudaMemcpy(values, array, sizeof(values), cudaMemcpyDeviceToHost));
	for (uint32_t value : values)
		hash = (hash ^ value) * 1099511628211u;
}

/* A temporary array of each step, in the next stream. */
void part_scratch()
{
	float *outs[STREAMS];

	for (auto &out : outs)
		out = zeros();
	for (int step = 0; step < STEPS; step++) {
		cudaStream_t stream = streams[step % STREAMS];
		float *temp = request<float>(), *out = outs[step % STREAMS];

		RUN(stream, make, temp, step);
		RUN(stream, mix, temp, out, out);
		give_back(temp);
	}
	for (auto &out : outs)
		take(out);
}

/* Results become the next step's input in another stream, by events. */
void part_relay()
{
	float *now = zeros(), *made = zeros(), *input = zeros();
	cudaEvent_t done;

	TRY(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	for (int step = 0; step < STEPS; step++) {
		cudaStream_t stream = streams[step % STREAMS];
		float *former = now;

		RUN(stream, make, input, step);
		RUN(stream, mix, input, now, made);
		TRY(cudaEventRecord(done, stream));
		if (!broken || step % 4 != 2)
			TRY(cudaStreamWaitEvent(streams[(step + 1) % STREAMS],
						done, 0));
		now = made;
		made = former;
	}
	take(now);
}

/* Copies from the host and between arrays. */
void part_copies()
{
	static float host[COUNT];
	float *out = zeros();

	for (int i = 0; i < COUNT; i++)
		host[i] = (float)(i % 31);
	for (int step = 0; step < STEPS; step++) {
		cudaStream_t stream = streams[step % STREAMS];
		float *from = request<float>(), *to = request<float>();

		host[step]++;
		TRY(cudaMemcpyAsync(from, host, sizeof(host),
				    cudaMemcpyHostToDevice, stream));
		TRY(cudaMemcpyAsync(to, from, sizeof(host),
				    cudaMemcpyDeviceToDevice, stream));
		give_back(from);
		RUN(streams[0], make, request<float>(),
		    step); /* and not freed */
		RUN(stream, mix, to, to, to);
		if (step % STREAMS == 0)
			RUN(stream, mix, to, out, out);
		give_back(to);
	}
	take(out);
}

/* Temporary arrays of all streams at once, in turns. */
void part_batches()
{
	float *outs[STREAMS], *temps[STREAMS];

	for (auto &out : outs)
		out = zeros();
	for (int step = 0; step < STEPS; step++) {
		for (auto &temp : temps)
			temp = request<float>();
		for (int i = 0; i < STREAMS; i++) {
			cudaStream_t stream = streams[(step + i) % STREAMS];
			float *out = outs[(step + i) % STREAMS];

			RUN(stream, make, temps[i], step + i);
			RUN(stream, mix, temps[i], out, out);
		}
		for (auto &temp : temps)
			give_back(temp);
	}
	for (auto &out : outs)
		take(out);
}

/* Temporary arrays of whole pages and of sizes that differ, so that on a small
 * device pages pass from one to the other. */
void part_pages()
{
	constexpr size_t PAGE = 2 << 20;
	float *outs[STREAMS];

	for (auto &out : outs)
		out = zeros();
	for (int step = 0; step < 2 * STEPS; step++) {
		cudaStream_t stream = streams[step % STREAMS];
		size_t count = (1 + step % 4) * PAGE / sizeof(float);
		float *temp = request<float>(count),
		      *out = outs[step % STREAMS];
		float *last = temp + count - COUNT;

		RUN(stream, make, temp, step);
		RUN(stream, mix, temp, out, last);
		RUN(stream, mix, last, out, out);
		give_back(temp);
	}
	for (auto &out : outs)
		take(out);
}

/* Indices are computed on the device, used, and freed. */
void part_indices()
{
	float *from = zeros(), *out = zeros();

	RUN(streams[0], make, from, 1);
	TRY(cudaDeviceSynchronize());
	for (int step = 0; step < STEPS; step++) {
		cudaStream_t stream = streams[step % 2];
		int *index = request<int>();

		RUN(stream, spread, index, step);
		if (step % 2 == 0)
			RUN(stream, gather, from, index, out);
		give_back(index);
	}
	take(out);
}

/* One stream allocates and frees in its order; another one reads. */
void part_ordered()
{
	float *out = zeros();
	cudaEvent_t made, read;
	float *temp;

	TRY(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
	TRY(cudaEventCreateWithFlags(&read, cudaEventDisableTiming));
	for (int step = 0; step < STEPS; step++) {
		TRY(cudaMallocAsync((void **)&temp, COUNT * sizeof(*temp),
				    streams[0]));
		RUN(streams[0], make, temp, step);
		TRY(cudaEventRecord(made, streams[0]));
		TRY(cudaStreamWaitEvent(streams[1], made, 0));
		RUN(streams[1], mix, temp, out, out);
		TRY(cudaEventRecord(read, streams[1]));
		if (!broken)
			TRY(cudaStreamWaitEvent(streams[0], read, 0));
		TRY(cudaFreeAsync(temp, streams[0]));
	}
	take(out);
}

const struct {
	const char *name;
	void (*run)();
} parts[] = {
	{"scratch", part_scratch}, {"relay", part_relay},
	{"copies", part_copies},   {"batches", part_batches},
	{"indices", part_indices}, {"ordered", part_ordered},
	{"pages", part_pages},
};
} // namespace

int main(int argc, char **argv)
{
	broken = argc > 2 && !strcmp(argv[2], "broken");
	for (auto &stream : streams)
		TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (const auto &part : parts) {
		if (argc < 2 || strcmp(argv[1], part.name))
			continue;
		part.run();
		printf("%016llx\n", (unsigned long long)hash);
		return 0;
	}
	fprintf(stderr, "usage: own_order PART [broken]\n");
	return 2;
}
