/* The functions that frameworks' hooks take. Unlike the others they serve in
 * any case: a framework calls them for all of its memory. Where the process is
 * not served, the entry points that they call hand each call to CUDA. */
#define HASH_NONFATAL_OOM 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <uthash.h>

#include "api.h"
#include "context/context.h"
#include "hooks/call.h"
#include "memory.h"

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
	CUdeviceptr ptr = 0;
	struct visit visit;

	if (size <= 0 || !visit_begin(&visit, device))
		return NULL;
	if (memory_alloc_in(&ptr, (size_t)size, stream))
		ptr = 0;
	visit_end(&visit);
	return (void *)ptr;
}

/* Memory that other streams use than the one it is freed in. */
struct recorded {
	CUdeviceptr ptr; /* the key */
	UT_hash_handle hh;
};

static struct recorded *recorded; /* under the lock */
static pthread_mutex_t recorded_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool any_recorded;
/* There was no host memory for a record: any memory may be such. */
static _Atomic bool all_recorded;

/* Under the lock. Returns false without memory. */
static bool recorded_add(CUdeviceptr ptr)
{
	struct recorded *added = calloc(1, sizeof(*added));

	if (!added)
		return false;
	added->ptr = ptr;
	HASH_ADD(hh, recorded, ptr, sizeof(ptr), added);
	if (added->hh.tbl)
		return true;
	free(added);
	return false;
}

void mnm_torch_record_stream(void *ptr, CUstream stream)
{
	CUdeviceptr key = (CUdeviceptr)ptr;
	struct recorded *found;

	(void)stream;
	pthread_mutex_lock(&recorded_lock);
	HASH_FIND(hh, recorded, &key, sizeof(key), found);
	if (!found)
		atomic_store(recorded_add(key) ? &any_recorded : &all_recorded,
			     true);
	pthread_mutex_unlock(&recorded_lock);
}

/* Returns whether memory that is about to be freed is such, and forgets it. */
static bool is_recorded(CUdeviceptr ptr)
{
	struct recorded *found;

	if (!atomic_load(&any_recorded))
		return atomic_load(&all_recorded);
	pthread_mutex_lock(&recorded_lock);
	HASH_FIND(hh, recorded, &ptr, sizeof(ptr), found);
	if (found)
		HASH_DEL(recorded, found);
	atomic_store(&any_recorded, recorded != NULL);
	pthread_mutex_unlock(&recorded_lock);
	free(found);
	return found || atomic_load(&all_recorded);
}

/* What other streams use as well is freed as by cuMemFree: no stream has it
 * before all work is over that was queued before. */
void mnm_torch_free(void *ptr, ptrdiff_t size, int device, CUstream stream)
{
	CUdeviceptr addr = (CUdeviceptr)ptr;
	struct visit visit;

	(void)size;
	if (!ptr || !visit_begin(&visit, device))
		return;
	if (is_recorded(addr))
		cuMemFree_v2(addr);
	else
		memory_free_in(addr, stream);
	visit_end(&visit);
}

void *mnm_cupy_malloc(void *param, size_t size, int device)
{
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
	struct visit visit;

	(void)param;
	if (!ptr || !visit_begin(&visit, device))
		return;
	cuMemFree_v2((CUdeviceptr)ptr);
	visit_end(&visit);
}
