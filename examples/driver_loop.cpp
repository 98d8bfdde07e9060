/* The CUDA driver's own API, without a runtime: a context, a module from a
 * file, and buffers that are freed while work on them may be queued, all in one
 * stream. The program is linked with -lcuda, so it calls the exported names. */
#include <cuda.h>

#include "round_values.h"
#include "rounds.h"

#define DRIVER(call) driver_check((call), #call)

enum { STEPS = 4 };

struct work {
	CUstream stream;
	CUfunction make, mix, sum;
};

static void driver_check(CUresult res, const char *call)
{
	const char *text = "unknown error";

	if (res == CUDA_SUCCESS)
		return;
	cuGetErrorString(res, &text);
	fprintf(stderr, "driver_loop: %s: %s\n", call, text);
	exit(1);
}

static CUdeviceptr values_alloc(unsigned count)
{
	CUdeviceptr values;

	DRIVER(cuMemAlloc(&values, count * sizeof(unsigned)));
	return values;
}

static void launch(const struct work *work, CUfunction function, unsigned count,
		   void **args)
{
	DRIVER(cuLaunchKernel(function, round_blocks(count), 1, 1,
			      ROUND_THREADS, 1, 1, 0, work->stream, args,
			      nullptr));
}

/* Queues a step, which later writes its sum to *host_sum. */
static void step_queue(const struct work *work, unsigned seed, unsigned count,
		       unsigned *host_sum)
{
	CUdeviceptr first = values_alloc(count), sum = values_alloc(1), second;
	void *make[] = {&first, &seed, &count};
	void *mix[] = {&first, &second, &count};
	void *add[] = {&second, &count, &sum};

	DRIVER(cuMemsetD32Async(sum, 0, 1, work->stream));
	launch(work, work->make, count, make);
	second = values_alloc(count);
	launch(work, work->mix, count, mix);
	DRIVER(cuMemFree(first));
	launch(work, work->sum, count, add);
	DRIVER(cuMemFree(second));
	DRIVER(cuMemcpyDtoHAsync(host_sum, sum, sizeof(*host_sum),
				 work->stream));
	DRIVER(cuMemFree(sum));
}

static void round_run(const struct work *work, unsigned *host_sums,
		      unsigned seed)
{
	unsigned count = round_count(seed), result = 0, expected = 0;

	for (unsigned step = 0; step < STEPS; step++)
		step_queue(work, seed + step, count, &host_sums[step]);
	DRIVER(cuStreamSynchronize(work->stream));
	for (unsigned step = 0; step < STEPS; step++) {
		result += host_sums[step];
		expected += values_expected(seed + step, count, 1);
	}
	round_end(seed, result, expected);
}

static void kernels_load(CUmodule *module, struct work *work, const char *path)
{
	driver_check(cuModuleLoad(module, path), path);
	DRIVER(cuModuleGetFunction(&work->make, *module, "values_make"));
	DRIVER(cuModuleGetFunction(&work->mix, *module, "values_mix"));
	DRIVER(cuModuleGetFunction(&work->sum, *module, "values_sum"));
}

int main(int argc, char **argv)
{
	unsigned seed, *host_sums;
	struct work work = {};
	CUcontext context;
	CUmodule module;
	CUdevice device;

	rounds_open(argc, 1, "driver_loop KERNELS.fatbin");
	DRIVER(cuInit(0));
	DRIVER(cuDeviceGet(&device, 0));
	DRIVER(cuDevicePrimaryCtxRetain(&context, device));
	DRIVER(cuCtxSetCurrent(context));
	kernels_load(&module, &work, argv[1]);
	DRIVER(cuStreamCreate(&work.stream, CU_STREAM_NON_BLOCKING));
	DRIVER(cuMemHostAlloc((void **)&host_sums, STEPS * sizeof(*host_sums),
			      0));
	while (round_next(&seed))
		round_run(&work, host_sums, seed);
	DRIVER(cuMemFreeHost(host_sums));
	DRIVER(cuStreamDestroy(work.stream));
	DRIVER(cuModuleUnload(module));
	DRIVER(cuDevicePrimaryCtxRelease(device));
	return 0;
}
