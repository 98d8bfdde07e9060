#include "stage.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* WORK_THREADS: of a kernel; trace_job has as many. */
enum { GRANULE = 2 << 20, WORK_THREADS = 128, LOOKS = 1000 };

static const char *const entry_names[] = {
#define ENTRY(name) #name,
	STAGE_LIST
#undef ENTRY
};

enum { ENTRIES = sizeof(entry_names) / sizeof(*entry_names) };

static bool fail(struct stage *stage, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool fail(struct stage *stage, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(stage->what, STAGE_WHAT, format, args);
	va_end(args);
	return false;
}

/* Whether a call has succeeded. */
static bool did(struct stage *stage, const char *what, CUresult res)
{
	return !res || fail(stage, "%s fails on the simulated device: error %d",
			    what, res);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void clock_open(struct stage *stage)
{
	stage->look_ns = UINT64_MAX;
	for (int i = 0; i < LOOKS; i++) {
		uint64_t begun = now_ns(), took = now_ns() - begun;

		if (took < stage->look_ns)
			stage->look_ns = took;
	}
}

static bool driver_open(struct stage *stage)
{
	void *handle = dlopen("libcuda.so.1", RTLD_NOW);
	void **entries = (void **)&stage->driver;

	_Static_assert(sizeof(struct stage_driver) == ENTRIES * sizeof(void *),
		       "each entry is a pointer");
	if (!handle)
		return fail(stage, "no simulated driver: %s", dlerror());
	for (size_t i = 0; i < ENTRIES; i++)
		if (!(entries[i] = dlsym(handle, entry_names[i])))
			return fail(stage, "no %s in the simulated driver",
				    entry_names[i]);
	return true;
}

/* The kernel is that of src/sim/work_kernel.c; that driver takes any image for
 * a module. */
static bool device_open(struct stage *stage, int ordinal)
{
	const struct stage_driver *driver = &stage->driver;
	CUdevice device;
	CUmodule module;
	CUresult res = driver->cuDeviceGet(&device, ordinal);

	if (!res)
		res = driver->cuDevicePrimaryCtxRetain(
			&stage->contexts[ordinal], device);
	if (!res)
		res = driver->cuCtxSetCurrent(stage->contexts[ordinal]);
	if (!res)
		res = driver->cuModuleLoadData(&module, "");
	if (!res)
		res = driver->cuModuleGetFunction(&stage->work[ordinal], module,
						  "mnm_work");
	if (!res)
		res = driver->cuStreamCreate(&stage->streams[ordinal][0], 0);
	if (!res)
		res = driver->cuEventCreate(&stage->joined[ordinal], 0);
	return did(stage, "the start", res);
}

bool stage_open(struct stage *stage, int devices)
{
	CUresult res;

	if (devices < 1 || devices > STAGE_DEVICES)
		return fail(stage, "it has %d devices; allowed: 1 to %d",
			    devices, STAGE_DEVICES);
	stage->devices = devices;
	clock_open(stage);
	if (!driver_open(stage) ||
	    !did(stage, "cuInit", stage->driver.cuInit(0)))
		return false;
	if (!device_open(stage, 0))
		return false;
	res = stage->driver.cuEventCreate(&stage->moments[0], 0);
	if (!res)
		res = stage->driver.cuEventCreate(&stage->moments[1], 0);
	return did(stage, "cuEventCreate", res);
}

/* Makes a device's context current. It is made when it is wanted first. */
static bool device_enter(struct stage *stage, int device)
{
	if (stage->current == device)
		return true;
	stage->current = device;
	if (!stage->contexts[device])
		return device_open(stage, device);
	return did(stage, "cuCtxSetCurrent",
		   stage->driver.cuCtxSetCurrent(stage->contexts[device]));
}

static bool stream_of(struct stage *stage, const struct script_step *step,
		      CUstream *stream)
{
	CUstream *known = &stage->streams[step->device][step->stream];
	CUresult res = 0;

	if (!*known)
		res = stage->driver.cuStreamCreate(known, 0);
	*stream = *known;
	return did(stage, "cuStreamCreate", res);
}

static bool asked(struct stage *stage, CUresult res)
{
	stage->is_full = res == CUDA_ERROR_OUT_OF_MEMORY;
	return did(stage, "a request", res);
}

/* Counts a request or a free that began then. */
static void call_count(struct stage *stage, uint64_t begun)
{
	uint64_t took = now_ns() - begun;

	stage->calls_ns += took > stage->look_ns ? took - stage->look_ns : 0;
	stage->calls++;
}

static bool play_alloc(struct stage *stage, const struct script_step *step,
		       CUstream stream)
{
	const struct stage_driver *driver = &stage->driver;
	CUdeviceptr got = 0;
	uint64_t begun = now_ns();
	CUresult res =
		step->ordered
			? driver->cuMemAllocAsync(&got, step->bytes, stream)
			: driver->cuMemAlloc_v2(&got, step->bytes);

	call_count(stage, begun);
	stage->addresses[step->slot] = got;
	return asked(stage, res);
}

static bool play_free(struct stage *stage, const struct script_step *step,
		      CUstream stream)
{
	const struct stage_driver *driver = &stage->driver;
	CUdeviceptr address = stage->addresses[step->slot];
	uint64_t begun = now_ns();
	CUresult res = step->ordered ? driver->cuMemFreeAsync(address, stream)
				     : driver->cuMemFree_v2(address);

	call_count(stage, begun);
	return did(stage, "a free", res);
}

static bool play_work(struct stage *stage, const struct script_step *step,
		      CUstream stream)
{
	return did(stage, "cuLaunchKernel",
		   stage->driver.cuLaunchKernel(stage->work[step->device], 1, 1,
						1, WORK_THREADS, 1, 1, 0,
						stream, NULL, NULL));
}

/* What no pool serves is physical memory here, which has whole granules. Less
 * than half of one is left out. */
static bool play_take(struct stage *stage, const struct script_step *step)
{
	const CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
			     .id = step->device},
	};
	size_t bytes = (step->bytes + GRANULE / 2) & ~((size_t)GRANULE - 1);
	CUmemGenericAllocationHandle handle = 0;
	CUresult res = 0;

	if (bytes)
		res = stage->driver.cuMemCreate(&handle, bytes, &prop, 0);
	stage->addresses[step->slot] = bytes && !res ? handle + 1 : 0;
	return asked(stage, res);
}

static bool play_give(struct stage *stage, const struct script_step *step)
{
	uint64_t kept = stage->addresses[step->slot];

	return !kept ||
	       did(stage, "cuMemRelease", stage->driver.cuMemRelease(kept - 1));
}

bool stage_play(struct stage *stage, const struct script_step *step)
{
	CUstream stream;

	if (!device_enter(stage, step->device) ||
	    !stream_of(stage, step, &stream))
		return false;
	switch (step->kind) {
	case SCRIPT_ALLOC:
		return play_alloc(stage, step, stream) &&
		       play_work(stage, step, stream);
	case SCRIPT_FREE:
		return play_work(stage, step, stream) &&
		       play_free(stage, step, stream);
	case SCRIPT_TAKE:
		return play_take(stage, step);
	default:
		return play_give(stage, step);
	}
}

bool stage_make_slots(struct stage *stage, size_t slots)
{
	uint64_t *more;

	if (slots <= stage->slots)
		return true;
	more = realloc(stage->addresses, 2 * slots * sizeof(*more));
	if (!more)
		return fail(stage, "no memory for %zu blocks", slots);
	stage->addresses = more;
	stage->slots = 2 * slots;
	return true;
}

static bool device_wait(struct stage *stage, int device)
{
	const struct stage_driver *driver = &stage->driver;
	CUstream *streams = stage->streams[device];
	CUevent joined = stage->joined[device];
	CUresult res = 0;

	if (!device_enter(stage, device))
		return false;
	for (int i = 1; i < SCRIPT_STREAMS && !res; i++) {
		if (!streams[i])
			continue;
		res = driver->cuEventRecord(joined, streams[i]);
		if (!res)
			res = driver->cuStreamWaitEvent(streams[0], joined, 0);
	}
	if (!res)
		res = driver->cuEventRecord(joined, streams[0]);
	if (!res)
		res = driver->cuEventSynchronize(joined);
	return did(stage, "a wait for all work", res);
}

bool stage_wait(struct stage *stage)
{
	for (int i = 0; i < stage->devices; i++)
		if (stage->contexts[i] && !device_wait(stage, i))
			return false;
	return true;
}

bool stage_note(struct stage *stage, int moment)
{
	return device_enter(stage, 0) &&
	       did(stage, "cuEventRecord",
		   stage->driver.cuEventRecord(stage->moments[moment],
					       stage->streams[0][0]));
}

bool stage_between(struct stage *stage, uint64_t *ns)
{
	float ms = 0;
	CUresult res = stage->driver.cuEventSynchronize(stage->moments[1]);

	if (!res)
		res = stage->driver.cuEventElapsedTime_v2(
			&ms, stage->moments[0], stage->moments[1]);
	*ns = (uint64_t)((double)ms * 1e6);
	return did(stage, "cuEventElapsedTime", res);
}
