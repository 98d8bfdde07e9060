/* sim_calls CALL COUNT makes one CUDA call, or one pair, COUNT times, so that
 * scripts/bench-calls can tell what one costs. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

enum { BYTES = 4096, USAGE = 2 };

static CUcontext ctx;
static CUevent event;
static CUdeviceptr block;

static int driver_get_current(void)
{
	CUcontext current;

	return cuCtxGetCurrent(&current);
}

static int driver_set_current(void)
{
	return cuCtxSetCurrent(ctx);
}

static int driver_get_device(void)
{
	CUdevice device;

	return cuCtxGetDevice(&device);
}

static int driver_exchange_mode(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

	return cuThreadExchangeStreamCaptureMode(&mode);
}

static int driver_event_record(void)
{
	return cuEventRecord(event, NULL);
}

static int driver_event_query(void)
{
	return cuEventQuery(event);
}

static int driver_ctx_record(void)
{
	return cuCtxRecordEvent(ctx, event);
}

static int driver_ctx_wait(void)
{
	return cuCtxWaitEvent(ctx, event);
}

static int driver_stream_wait(void)
{
	return cuStreamWaitEvent(NULL, event, 0);
}

static int driver_stream_id(void)
{
	unsigned long long id;

	return cuStreamGetId(NULL, &id);
}

static int driver_is_capturing(void)
{
	CUstreamCaptureStatus status;

	return cuStreamIsCapturing(NULL, &status);
}

static int driver_pointer(void)
{
	unsigned long long id;

	return cuPointerGetAttribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID,
				     block);
}

static int driver_info(void)
{
	size_t free, total;

	return cuMemGetInfo(&free, &total);
}

static int driver_pair(size_t bytes)
{
	CUdeviceptr ptr;

	return cuMemAlloc(&ptr, bytes) ?: cuMemFree(ptr);
}

static int driver_small(void)
{
	return driver_pair(BYTES);
}

static int driver_large(void)
{
	return driver_pair(20 << 20);
}

static int runtime_pair(void)
{
	void *ptr;

	return cudaMalloc(&ptr, BYTES) ?: cudaFree(ptr);
}

static int runtime_get_device(void)
{
	int device;

	return cudaGetDevice(&device);
}

static int runtime_set_device(void)
{
	return cudaSetDevice(0);
}

static int runtime_event_record(void)
{
	return cudaEventRecord(event, NULL);
}

static int runtime_event_query(void)
{
	return cudaEventQuery(event);
}

static int runtime_is_capturing(void)
{
	enum cudaStreamCaptureStatus status;

	return cudaStreamIsCapturing(NULL, &status);
}

static int runtime_last_error(void)
{
	return cudaGetLastError();
}

static int nothing(void)
{
	return 0;
}

static const struct {
	const char *name;
	int (*call)(void);
} calls[] = {
	{"nothing", nothing},
	{"cuCtxGetCurrent", driver_get_current},
	{"cuCtxSetCurrent", driver_set_current},
	{"cuCtxGetDevice", driver_get_device},
	{"cuThreadExchangeStreamCaptureMode", driver_exchange_mode},
	{"cuEventRecord", driver_event_record},
	{"cuEventQuery", driver_event_query},
	{"cuCtxRecordEvent", driver_ctx_record},
	{"cuCtxWaitEvent", driver_ctx_wait},
	{"cuStreamWaitEvent", driver_stream_wait},
	{"cuStreamGetId", driver_stream_id},
	{"cuStreamIsCapturing", driver_is_capturing},
	{"cuPointerGetAttribute", driver_pointer},
	{"cuMemGetInfo", driver_info},
	{"cuMemAlloc+cuMemFree-4K", driver_small},
	{"cuMemAlloc+cuMemFree-20M", driver_large},
	{"cudaMalloc+cudaFree-4K", runtime_pair},
	{"cudaGetDevice", runtime_get_device},
	{"cudaSetDevice", runtime_set_device},
	{"cudaEventRecord", runtime_event_record},
	{"cudaEventQuery", runtime_event_query},
	{"cudaStreamIsCapturing", runtime_is_capturing},
	{"cudaGetLastError", runtime_last_error},
};

enum { CALL_COUNT = sizeof(calls) / sizeof(calls[0]) };

static bool device_open(void)
{
	return !cudaFree(NULL) && !cuCtxGetCurrent(&ctx) &&
	       !cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) &&
	       !cuEventRecord(event, NULL) && !cuMemAlloc(&block, BYTES);
}

static int usage(void)
{
	fprintf(stderr, "usage: sim_calls CALL COUNT, where CALL is one of:\n");
	for (int i = 0; i < CALL_COUNT; i++)
		fprintf(stderr, "  %s\n", calls[i].name);
	return USAGE;
}

int main(int argc, char **argv)
{
	unsigned long count;
	int at = 0;
	char *end;

	if (argc != 3)
		return usage();
	while (at < CALL_COUNT && strcmp(argv[1], calls[at].name))
		at++;
	errno = 0;
	count = strtoul(argv[2], &end, 10);
	if (at == CALL_COUNT || errno || *end || end == argv[2])
		return usage();
	if (!device_open()) {
		fprintf(stderr, "sim_calls: no device\n");
		return EXIT_FAILURE;
	}
	while (count--) {
		if (calls[at].call()) {
			fprintf(stderr, "sim_calls: %s failed\n", argv[1]);
			return EXIT_FAILURE;
		}
	}
	return EXIT_SUCCESS;
}
