/* Stream-ordered memory, and CUDA's own pools of it. */
#include "call.h"
#include "context/context.h"
#include "hook.h"
#include "mem/mem.h"
#include "room_of.h"
#include "foreign_call.h"
#include "order/stream_order.h"

/* The context of a stream, or NULL for the current one. */
static struct context *stream_context(CUstream stream)
{
	CUcontext handle;

	if (context_count() < 2 || !mem_enabled() || !stream ||
	    stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD ||
	    REAL_CALL(cuStreamGetCtx, stream, &handle))
		return NULL;
	return context_named(handle);
}

/* Stream-ordered memory is that of the stream's device, or of its pool's
 * device, and goes with the stream's context. */
static bool stream_begin(struct foreign_claim *order, CUstream stream,
			 int ordinal, const void *out, size_t size)
{
	const struct context *context = stream_context(stream);

	if (ordinal == CURRENT && context)
		ordinal = device_ordinal(context->device);
	if (!foreign_begin(order, ordinal, out, size))
		return false;
	if (context)
		order->context = context;
	return true;
}

EXPORT CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream stream)
{
	struct foreign_claim order;
	CUresult res;

	if (!stream_begin(&order, stream, CURRENT, out, size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream_work_begin(stream, false);
	res = ROOM_CALL(cuMemAllocAsync, out, size, stream);
	stream_work_end();
	return foreign_end(&order, res, FOREIGN_ASYNC, out, size);
}

EXPORT CUresult cuMemAllocAsync_ptsz(CUdeviceptr *out, size_t size,
				     CUstream stream)
{
	struct foreign_claim order;
	CUresult res;

	if (!stream_begin(&order, stream, CURRENT, out, size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream_work_begin(stream, true);
	res = ROOM_CALL(cuMemAllocAsync_ptsz, out, size, stream);
	stream_work_end();
	return foreign_end(&order, res, FOREIGN_ASYNC, out, size);
}

/* The device whose memory a pool hands out, or DEVICE_HOST. CURRENT if it is
 * not known, as with a pool that other processes share. */
static int pool_device(CUmemoryPool pool)
{
	int ordinal = foreign_device(FOREIGN_POOL, (uint64_t)pool);
	struct room room = {0};

	if (ordinal >= 0)
		return ordinal;
	if (device_count() < 2)
		return CURRENT;
	room_pool(&room, pool);
	return room.devices ? __builtin_ctzll(room.devices) : CURRENT;
}

EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size,
					CUmemoryPool pool, CUstream stream)
{
	struct foreign_claim order;
	CUresult res;

	if (!stream_begin(&order, stream, pool_device(pool), out, size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream_work_begin(stream, false);
	res = ROOM_CALL(cuMemAllocFromPoolAsync, out, size, pool, stream);
	stream_work_end();
	return foreign_end(&order, res, FOREIGN_ASYNC, out, size);
}

EXPORT CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *out, size_t size,
					     CUmemoryPool pool, CUstream stream)
{
	struct foreign_claim order;
	CUresult res;

	if (!stream_begin(&order, stream, pool_device(pool), out, size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	stream_work_begin(stream, true);
	res = ROOM_CALL(cuMemAllocFromPoolAsync_ptsz, out, size, pool, stream);
	stream_work_end();
	return foreign_end(&order, res, FOREIGN_ASYNC, out, size);
}

/* Whose memory is in a place. CURRENT if that is not known. */
static int location_device(const CUmemLocation *location)
{
	switch (location->type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		return location->id;
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
		return DEVICE_HOST;
	default:
		return CURRENT;
	}
}

/* Notes a pool of a device's memory, or of the host's, so that later requests
 * from the pool count there. */
EXPORT CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props)
{
	CUresult res = ROOM_CALL(cuMemPoolCreate, out, props);
	int ordinal = res ? CURRENT : location_device(&props->location);
	struct foreign_claim order;

	if (ordinal != CURRENT && foreign_begin(&order, ordinal, out, 0))
		foreign_end_of(&order, res, FOREIGN_ASYNC, FOREIGN_POOL, out,
			       0);
	return res;
}

EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	struct foreign *foreign =
		foreign_end_begin(FOREIGN_POOL, (uint64_t)pool);
	CUresult res = REAL_CALL(cuMemPoolDestroy, pool);

	foreign_end_finish(foreign, (int)res);
	return res;
}
