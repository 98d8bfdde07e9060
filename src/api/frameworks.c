/* The functions that frameworks' hooks take. Unlike the others they serve in
 * any case: a framework calls them for all of its memory. Where the process is
 * not served, the entry points that they call hand each call to CUDA. */
#include <stdatomic.h>

#include "api.h"
#include "block/block.h"
#include "context/context.h"
#include "hooks/call.h"
#include "memory.h"
#include "recorded.h"
#include "record/site.h"

/* A time in which a context of the device is current. */
struct visit {
	int device;
	bool away;
};

/* The record of the current context says so without asking the driver. */
static bool is_current(int device)
{
	CUresult result;
	const struct context *context =
		api_serves(&result) ? context_current() : NULL;
	CUdevice now;

	if (context)
		return device_ordinal(context->device) == device;
	return !REAL_CALL(cuCtxGetDevice, &now) && now == device;
}

/* If the current context is one of another device, the primary one takes its
 * place. */
static bool visit_begin(struct visit *visit, int device)
{
	CUcontext primary;

	*visit = (struct visit){.device = device};
	if (is_current(device))
		return true;
	if (cuDevicePrimaryCtxRetain(&primary, device))
		return false;
	if (!cuCtxPushCurrent_v2(primary)) {
		visit->away = true;
		return true;
	}
	cuDevicePrimaryCtxRelease_v2(device);
	return false;
}

/* The memory of a primary context ends with its last owner. So the first visit
 * to a device stays one for good; a framework owns these contexts itself. */
static bool is_owned(int device)
{
	static _Atomic uint64_t owned;
	uint64_t bit = (uint64_t)1 << (device & 63);

	return atomic_fetch_or(&owned, bit) & bit;
}

static void visit_end(const struct visit *visit)
{
	CUcontext primary;

	if (!visit->away)
		return;
	cuCtxPopCurrent_v2(&primary);
	if (is_owned(visit->device))
		cuDevicePrimaryCtxRelease_v2(visit->device);
}

void *mnm_torch_malloc(ptrdiff_t size, int device, CUstream stream)
{
	NOTES_CALLER((size_t)size);
	CUdeviceptr ptr = 0;
	struct visit visit;

	if (size <= 0 || !visit_begin(&visit, device))
		return NULL;
	if (memory_alloc_in(&ptr, (size_t)size, stream))
		ptr = 0;
	visit_end(&visit);
	return (void *)ptr;
}

void mnm_torch_record_stream(void *ptr, CUstream stream)
{
	recorded_add((CUdeviceptr)ptr, stream);
}

static bool is_capturing(CUstream stream)
{
	CUstreamCaptureStatus status;

	return REAL_CALL(cuStreamIsCapturing, stream, &status) ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static bool stream_waits(CUstream stream, CUstream other)
{
	CUevent event;
	bool waits;

	if (is_capturing(stream) ||
	    cuEventCreate(&event, CU_EVENT_DISABLE_TIMING))
		return false;
	waits = !cuEventRecord(event, other) &&
		!cuStreamWaitEvent(stream, event, 0);
	cuEventDestroy_v2(event);
	return waits;
}

/* The stream waits for what another one has been given; where it can't, the
 * thread does. What a capture is given is a graph's, and not queued. */
static void stream_follow(CUstream stream, CUstream other)
{
	if (!is_capturing(other) && !stream_waits(stream, other))
		cuStreamSynchronize(other);
}

/* What other streams use as well is freed as by cuMemFree: no stream has it
 * before all work is over that was queued before. If CUDA's own pool has served
 * it, its cuMemFree does not see to that. */
static void recorded_free(CUdeviceptr addr, CUstream stream,
			  const struct recorded_streams *others)
{
	uint64_t word;

	if (block_find(addr, &word)) {
		cuMemFree_v2(addr);
		return;
	}
	if (others->count > RECORDED_MOST)
		cuCtxSynchronize();
	for (size_t i = 0; i < others->count && i < RECORDED_MOST; i++)
		stream_follow(stream, others->at[i]);
	memory_free_in(addr, stream);
}

void mnm_torch_free(void *ptr, ptrdiff_t size, int device, CUstream stream)
{
	NOTES_CALLER(0);
	CUdeviceptr addr = (CUdeviceptr)ptr;
	struct recorded_streams others = {0};
	struct visit visit;

	(void)size;
	if (!ptr || !visit_begin(&visit, device))
		return;
	if (recorded_take(addr, &others))
		recorded_free(addr, stream, &others);
	else
		memory_free_in(addr, stream);
	visit_end(&visit);
}

void *mnm_cupy_malloc(void *param, size_t size, int device)
{
	NOTES_CALLER(size);
	CUdeviceptr ptr = 0;
	struct visit visit;

	(void)param;
	if (!size || !visit_begin(&visit, device))
		return NULL;
	if (cuMemAlloc_v2(&ptr, size))
		ptr = 0;
	visit_end(&visit);
	return (void *)ptr;
}

void mnm_cupy_free(void *param, void *ptr, int device)
{
	NOTES_CALLER(0);
	struct visit visit;

	(void)param;
	if (!ptr || !visit_begin(&visit, device))
		return;
	cuMemFree_v2((CUdeviceptr)ptr);
	visit_end(&visit);
}
