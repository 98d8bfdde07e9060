/* Makes CUDA calls inside calls that end a context or give memory back. A tool
 * whose jump is in CUDA's own entry does that, and without mnm such calls
 * return.
 * Usage: inside CALL beside|alone|doubted|after|left
 *   CALL     is one of `places`, below
 *   beside   there is another context
 *   alone    there is none, and the order of one stream ends inside the call
 *   doubted  as beside, after an opaque entry was asked for
 *   after    the calls come after CUDA's own call has ended the context
 *   left     as after, and another call uses the context's memory
 * Prints the results of each call inside, and of the call itself. */
#define __CUDA_API_VERSION_INTERNAL
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "relocate.h"

enum { BLOCK = 1 << 20, LARGE = 57 << 20, HANG = 30 /* seconds */, TRIES = 8 };
enum { DEVICE = 64 << 20 }; /* contexts take a part of it */

static struct {
	CUcontext context, other;
	CUstream stream;
	CUdeviceptr live, more, idle, others;
	bool after, left;
	pthread_t beside;
	bool done; /* set at the first call: those inside it are patched, too */
} at;

#define BEHIND(symbol) static __typeof__(symbol) *behind_##symbol
BEHIND(cuCtxDestroy_v2);
BEHIND(cuDevicePrimaryCtxRelease_v2);
BEHIND(cuDevicePrimaryCtxReset_v2);
BEHIND(cuMemFree_v2);
BEHIND(cuCtxRecordEvent);
BEHIND(cuCtxWaitEvent);
BEHIND(cuCtxGetDevice);
BEHIND(cuDevicePrimaryCtxRetain);

/* Patches CUDA's own entry, past all that is preloaded. */
static bool patch(const char *entry, const void *inside, void **behind)
{
	typedef void *lookup(void *handle, const char *symbol);
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	void *libc = dlopen("libc.so.6", RTLD_NOW);
	lookup *look = (lookup *)dlvsym(libc, "dlsym", "GLIBC_2.2.5");

	return entry_patch(look(driver, entry), inside, behind);
}

static void tell(const char *what, CUresult res)
{
	printf("%s %d\n", what, (int)res);
	fflush(stdout);
}

/* Asks for a block, uses it and frees it. */
static void pair(size_t size)
{
	CUdeviceptr addr = 0;

	tell("alloc", cuMemAlloc_v2(&addr, size));
	tell("fill", cuMemsetD8_v2(addr, 7, size));
	tell("free", cuMemFree_v2(addr));
}

static void work(void)
{
	tell("second stream", cuMemsetD8Async(at.more, 7, BLOCK, at.stream));
	tell("wait", cuStreamSynchronize(at.stream));
	if (!at.other)
		return;
	tell("other context", cuCtxPushCurrent_v2(at.other));
	tell("free there", cuMemFree_v2(at.others));
	tell("back", cuCtxPopCurrent_v2(&at.other));
}

static void retain(void)
{
	CUcontext context;

	tell("retain", cuDevicePrimaryCtxRetain(&context, 0));
	tell("release", cuDevicePrimaryCtxRelease_v2(0));
}

static void inside(bool primary)
{
	if (primary)
		retain();
	else if (at.other)
		tell("destroy another", cuCtxDestroy_v2(at.other));
	if (!primary)
		at.other = NULL;
	tell("free", cuMemFree_v2(at.live));
	pair(BLOCK);     /* of a size that is idle */
	pair(3 * BLOCK); /* of a size that is not */
	work();
}

/* The new context may get the handle of the one that has just ended. */
static void anew(void)
{
	tell("retain", cuDevicePrimaryCtxRetain(&at.context, 0));
	tell("current", cuCtxSetCurrent(at.context));
	pair(BLOCK);
}

/* Takes memory that no pool serves, at the address of a block that was idle. */
static void foreign(void)
{
	CUdeviceptr addr = 0;

	tell("create", cuCtxCreate_v2(&at.context, 0, 0));
	for (int i = 0; i < TRIES && addr != at.idle; i++)
		tell("managed",
		     cuMemAllocManaged(&addr, BLOCK, CU_MEM_ATTACH_GLOBAL));
	tell("free", cuMemFree_v2(addr));
}

static bool begins(void)
{
	bool begins = !at.done;

	at.done = true;
	return begins;
}

static CUresult destroy_inside(CUcontext context)
{
	if (begins())
		inside(false);
	return behind_cuCtxDestroy_v2(context);
}

static CUresult release_inside(CUdevice device)
{
	if (begins())
		inside(true);
	return behind_cuDevicePrimaryCtxRelease_v2(device);
}

static CUresult reset_inside(CUdevice device)
{
	CUresult res;

	if (!begins())
		return behind_cuDevicePrimaryCtxReset_v2(device);
	if (!at.after && !at.left)
		inside(true);
	res = behind_cuDevicePrimaryCtxReset_v2(device);
	if (at.after)
		anew();
	if (at.left)
		foreign();
	return res;
}

static CUresult free_inside(CUdeviceptr addr)
{
	CUdeviceptr large;

	if (begins()) {
		pair(BLOCK);
		tell("too much", cuMemAlloc_v2(&large, DEVICE));
	}
	return behind_cuMemFree_v2(addr);
}

/* The first fence of another context. */
static CUresult record_inside(CUcontext context, CUevent event)
{
	if (begins())
		pair(BLOCK);
	return behind_cuCtxRecordEvent(context, event);
}

/* A new context begins with this call. */
static CUresult wait_inside(CUcontext context, CUevent event)
{
	if (context != at.context && begins())
		pair(BLOCK);
	return behind_cuCtxWaitEvent(context, event);
}

/* A third context comes and goes, in what the second begins with. */
static CUresult third_inside(CUcontext context, CUevent event)
{
	CUcontext third;

	if (context != at.context && begins()) {
		tell("third", cuCtxCreate_v2(&third, 0, 0));
		tell("gone", cuCtxDestroy_v2(third));
		pair(BLOCK);
	}
	return behind_cuCtxWaitEvent(context, event);
}

static CUresult create(void)
{
	return cuCtxCreate_v2(&at.other, 0, 0);
}

static atomic_bool asked; /* retain_inside was called */

static CUresult retain_inside(CUcontext *out, CUdevice device)
{
	CUresult res = behind_cuDevicePrimaryCtxRetain(out, device);

	asked = true;
	return res;
}

static void *retain_beside(void *unused)
{
	retain();
	return unused;
}

/* The runtime calls this before it resets the device. By then another thread's
 * retain has been refused for lack of memory. */
static CUresult device_inside(CUdevice *device)
{
	if (begins() && !pthread_create(&at.beside, NULL, retain_beside, NULL))
		while (!asked)
			sched_yield();
	return behind_cuCtxGetDevice(device);
}

static CUresult reset_beside_retain(void)
{
	CUdeviceptr large;
	CUresult res = cuMemAlloc_v2(&large, LARGE);

	if (res || cuMemFree_v2(large) ||
	    !patch("cuDevicePrimaryCtxRetain", retain_inside,
		   (void **)&behind_cuDevicePrimaryCtxRetain))
		return res ? res : CUDA_ERROR_UNKNOWN;
	res = (CUresult)cudaDeviceReset();
	pthread_join(at.beside, NULL);
	return res;
}

static CUresult end_by_destroy(void)
{
	return cuCtxDestroy_v2(at.context);
}

static CUresult end_by_release(void)
{
	return cuDevicePrimaryCtxRelease_v2(0);
}

static CUresult end_by_reset(void)
{
	return cuDevicePrimaryCtxReset_v2(0);
}

static CUresult end_by_runtime(void)
{
	return (CUresult)cudaDeviceReset();
}

/* This request takes the room of idle memory. */
static CUresult give(void)
{
	CUdeviceptr large;
	CUresult res = cuMemAlloc_v2(&large, LARGE);

	return res ? res : cuMemFree_v2(large);
}

static const struct place {
	const char *name, *entry;
	void *inside, **behind;
	CUresult (*call)(void);
} places[] = {
	{"destroy", "cuCtxDestroy_v2", destroy_inside,
	 (void **)&behind_cuCtxDestroy_v2, end_by_destroy},
	{"release", "cuDevicePrimaryCtxRelease_v2", release_inside,
	 (void **)&behind_cuDevicePrimaryCtxRelease_v2, end_by_release},
	{"reset", "cuDevicePrimaryCtxReset_v2", reset_inside,
	 (void **)&behind_cuDevicePrimaryCtxReset_v2, end_by_reset},
	{"runtime", "cuDevicePrimaryCtxReset", reset_inside,
	 (void **)&behind_cuDevicePrimaryCtxReset_v2, end_by_runtime},
	{"give", "cuMemFree_v2", free_inside, (void **)&behind_cuMemFree_v2,
	 give},
	{"create", "cuCtxRecordEvent", record_inside,
	 (void **)&behind_cuCtxRecordEvent, create},
	{"attach", "cuCtxWaitEvent", wait_inside,
	 (void **)&behind_cuCtxWaitEvent, create},
	{"third", "cuCtxWaitEvent", third_inside,
	 (void **)&behind_cuCtxWaitEvent, create},
	{"retain", "cuCtxGetDevice", device_inside,
	 (void **)&behind_cuCtxGetDevice, reset_beside_retain},
	{NULL, NULL, NULL, NULL, NULL},
};

static bool open_contexts(bool own, bool runtime, bool other)
{
	CUresult res;

	if ((runtime && cudaFree(NULL)) || cuInit(0))
		return false;
	if (other && (cuCtxCreate_v2(&at.other, 0, 0) ||
		      cuMemAlloc_v2(&at.others, BLOCK)))
		return false;
	res = own ? cuCtxCreate_v2(&at.context, 0, 0)
		  : cuDevicePrimaryCtxRetain(&at.context, 0);
	return !res && !cuCtxSetCurrent(at.context) &&
	       !cuStreamCreate(&at.stream, CU_STREAM_NON_BLOCKING);
}

/* Makes some live blocks, and an idle one that has been used twice. */
static bool fill(void)
{
	for (int i = 0; i < 2; i++)
		if (cuMemAlloc_v2(&at.idle, BLOCK) ||
		    cuMemsetD8_v2(at.idle, 1, BLOCK) || cuMemFree_v2(at.idle))
			return false;
	return !cuMemAlloc_v2(&at.live, BLOCK) &&
	       !cuMemAlloc_v2(&at.more, BLOCK) &&
	       !cuMemAlloc_v2(&at.idle, BLOCK) &&
	       !cuMemsetD8_v2(at.idle, 1, BLOCK) && !cuMemFree_v2(at.idle);
}

static void doubt(void)
{
	const CUuuid id = {"no such table"};
	const void *table;

	cuGetExportTable(&table, &id);
}

int main(int argc, char **argv)
{
	const struct place *place = places;
	bool alone;

	while (argc == 3 && place->name && strcmp(place->name, argv[1]))
		place++;
	if (argc != 3 || !place->name)
		return 2;
	alarm(HANG);
	at.after = !strcmp(argv[2], "after");
	at.left = !strcmp(argv[2], "left");
	alone = at.after || at.left || !strcmp(argv[2], "alone");
	if (!open_contexts(!strcmp(place->name, "destroy"),
			   place->call == end_by_runtime ||
				   place->call == reset_beside_retain,
			   !alone) ||
	    !fill() || !patch(place->entry, place->inside, place->behind))
		return 1;
	if (!strcmp(argv[2], "doubted"))
		doubt();
	tell(place->name, place->call());
	anew();
	return 0;
}
