#include <stdatomic.h>

#include "backing.h"
#include "common/option.h"
#include "real.h"
#include "record/ring.h"
#include "context_scope.h"

unsigned int backing_relax(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	mode_exchange(&mode);
	return mode;
}

void backing_unrelax(unsigned int before)
{
	CUstreamCaptureMode mode = (CUstreamCaptureMode)before;

	mode_exchange(&mode);
}

int backing_alloc(size_t span, bool capturing, uint64_t *addr)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUdeviceptr ptr;
	CUresult res;

	if (capturing)
		mode_exchange(&mode);
	record_did_add(MNM_RECORD_DRIVER);
	res = real_driver()->cuMemAlloc_v2(&ptr, span);
	if (capturing)
		mode_exchange(&mode);
	if (!res)
		*addr = ptr;
	return (int)res;
}

int backing_free(CUcontext context, uint64_t addr)
{
	struct context_scope scope;
	CUresult res = context_scope_begin(&scope, context);

	if (res)
		return (int)res;
	record_did_add(MNM_RECORD_DRIVER);
	res = real_driver()->cuMemFree_v2(addr);
	context_scope_end(&scope);
	return (int)res;
}

int backing_wait(CUcontext context)
{
	struct context_scope scope;
	CUresult res = context_scope_begin(&scope, context);

	if (res)
		return (int)res;
	res = real_driver()->cuCtxSynchronize();
	context_scope_end(&scope);
	return (int)res;
}

/* This waits by what every program relies on. No document says more than that a
 * free may wait. But the driver itself may not give out memory that a kernel
 * still uses, and can't know which memory that is. */
int backing_free_wait(CUcontext context)
{
	struct context_scope scope;
	CUdeviceptr addr;
	CUresult res = context_scope_begin(&scope, context);

	if (res)
		return (int)res;
	res = real_driver()->cuMemAlloc_v2(&addr, 1);
	if (!res)
		res = real_driver()->cuMemFree_v2(addr);
	context_scope_end(&scope);
	return (int)res;
}

static _Atomic size_t device_bytes[DEVICE_MAX]; /* 0: not asked yet */

int backing_device_bytes(int ordinal, size_t *bytes)
{
	const struct real_driver *real = real_driver();
	CUresult res;

	*bytes = device_bytes[ordinal];
	if (*bytes)
		return CUDA_SUCCESS;
	if (!real->cuDeviceTotalMem_v2)
		return CUDA_ERROR_NOT_SUPPORTED;
	res = real->cuDeviceTotalMem_v2(bytes, ordinal);
	if (!res)
		device_bytes[ordinal] = *bytes;
	return (int)res;
}

size_t backing_device_bytes_known(int ordinal)
{
	return device_bytes[ordinal];
}

int backing_free_bytes(size_t *bytes)
{
	const struct real_driver *real = real_driver();
	size_t total;

	if (!real->cuMemGetInfo_v2)
		return CUDA_ERROR_NOT_SUPPORTED;
	return (int)real->cuMemGetInfo_v2(bytes, &total);
}

int backing_device_of(uint64_t addr)
{
	const struct real_driver *real = real_driver();
	CUmemorytype type;
	int ordinal;

	if (!real->cuPointerGetAttribute ||
	    real->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
					addr) ||
	    type != CU_MEMORYTYPE_DEVICE ||
	    real->cuPointerGetAttribute(
		    &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, addr))
		return -1;
	return ordinal;
}

int backing_mempool(int ordinal, CUmemoryPool *current, CUmemoryPool *standard)
{
	const struct real_driver *real = real_driver();
	unsigned int mode;
	CUresult res;

	if (!real->cuDeviceGetMemPool || !real->cuDeviceGetDefaultMemPool)
		return CUDA_ERROR_NOT_SUPPORTED;
	mode = backing_relax();
	res = real->cuDeviceGetMemPool(current, ordinal);
	if (!res)
		res = real->cuDeviceGetDefaultMemPool(standard, ordinal);
	backing_unrelax(mode);
	return (int)res;
}

bool backing_stream_is_of(CUstream stream, CUcontext context)
{
	CUcontext of;

	return !real_driver()->cuStreamGetCtx(stream, &of) && of == context;
}

bool backing_stream_waits(CUstream stream)
{
	const struct real_driver *real = real_driver();
	unsigned int flags;

	return !real->cuStreamGetFlags ||
	       real->cuStreamGetFlags(stream, &flags) ||
	       !(flags & CU_STREAM_NON_BLOCKING);
}

int backing_enable_peer(CUcontext context, CUcontext owner)
{
	struct context_scope scope;
	CUresult res = context_scope_begin(&scope, context);

	if (res)
		return (int)res;
	res = real_driver()->cuCtxEnablePeerAccess(owner, 0);
	context_scope_end(&scope);
	return (int)res;
}

void backing_disable_peer(CUcontext context, CUcontext owner)
{
	struct context_scope scope;

	if (context_scope_begin(&scope, context))
		return;
	real_driver()->cuCtxDisablePeerAccess(owner);
	context_scope_end(&scope);
}

void backing_mempool_reuse(CUmemoryPool pool, bool allowed[3])
{
	static const CUmemPool_attribute reuses[] = {
		CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
		CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
		CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
	};
	const struct real_driver *real = real_driver();
	unsigned int mode = backing_relax();
	int value;

	for (int i = 0; i < 3; i++) {
		value = 1;
		if (real->cuMemPoolGetAttribute)
			real->cuMemPoolGetAttribute(pool, reuses[i], &value);
		allowed[i] = value;
	}
	backing_unrelax(mode);
}

static CUresult mempool_ask(CUmemoryPool pool, CUmemPool_attribute what,
			    cuuint64_t *value)
{
	const struct real_driver *real = real_driver();
	CUresult res = CUDA_ERROR_NOT_SUPPORTED;
	unsigned int mode;

	if (!real->cuMemPoolGetAttribute)
		return res;
	mode = backing_relax();
	res = real->cuMemPoolGetAttribute(pool, what, value);
	backing_unrelax(mode);
	return res;
}

/* Returns 0 if the pool can't be asked. */
static uint64_t mempool_figure(CUmemoryPool pool, CUmemPool_attribute what)
{
	cuuint64_t bytes;

	return mempool_ask(pool, what, &bytes) ? 0 : bytes;
}

uint64_t backing_mempool_threshold(CUmemoryPool pool)
{
	return mempool_figure(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
}

uint64_t backing_mempool_used(CUmemoryPool pool)
{
	return mempool_figure(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
}

CUmemoryPool backing_mempool_of(uint64_t addr)
{
	const struct real_driver *real = real_driver();
	CUmemoryPool pool = NULL;
	unsigned int mode;
	CUresult res;

	if (!real->cuPointerGetAttribute)
		return NULL;
	mode = backing_relax();
	res = real->cuPointerGetAttribute(
		&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, addr);
	backing_unrelax(mode);
	return res ? NULL : pool;
}

int backing_mempool_reserved(CUmemoryPool pool, uint64_t *bytes)
{
	cuuint64_t value;
	CUresult res =
		mempool_ask(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &value);

	if (!res)
		*bytes = value;
	return (int)res;
}

bool backing_may_have_device(int ordinal)
{
	const struct real_driver *real = real_driver();
	int value;

	return !real || !real->cuDeviceGetAttribute ||
	       real->cuDeviceGetAttribute(
		       &value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
		       ordinal) != CUDA_ERROR_INVALID_DEVICE;
}
