#include "call.h"
#include "order/capture.h"
#include "context/context.h"
#include "room_of.h"
#include "mem/foreign.h"

/* That of a capture that has ended with an error, if in doubt. */
static CUstreamCaptureStatus status_of(CUstream stream, bool per_thread)
{
	CUstreamCaptureStatus status;
	CUresult res =
		per_thread
			? REAL_CALL(cuStreamIsCapturing_ptsz, stream, &status)
			: REAL_CALL(cuStreamIsCapturing, stream, &status);

	return res ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : status;
}

void room_stream(struct room *room, CUstream stream, bool per_thread)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	CUcontext handle;

	if (capture_any())
		status = status_of(stream, per_thread);
	room->captured = status != CU_STREAM_CAPTURE_STATUS_NONE;
	room->spoiled = status == CU_STREAM_CAPTURE_STATUS_INVALIDATED;
	if (!room->devices && stream && stream != CU_STREAM_LEGACY &&
	    stream != CU_STREAM_PER_THREAD && device_count() > 1 &&
	    !REAL_CALL(cuStreamGetCtx, stream, &handle))
		room_context(room, handle);
}

void room_context(struct room *room, CUcontext handle)
{
	const struct context *context = handle ? context_find(handle) : NULL;

	if (context)
		room_device(room, device_ordinal(context->device));
}

void room_green(struct room *room, CUgreenCtx green)
{
	CUcontext handle;

	if (green && !REAL_CALL(cuCtxFromGreenCtx, &handle, green))
		room_context(room, handle);
}

/* A pool that no call of the program is known to have made may be a device's
 * default pool. */
void room_pool(struct room *room, CUmemoryPool pool)
{
	int ordinal = foreign_device(FOREIGN_POOL, (uint64_t)pool);
	CUmemoryPool own;

	for (int i = 0; ordinal < 0 && i < DEVICE_MAX; i++)
		if (device_at(i)->contexts &&
		    !REAL_CALL(cuDeviceGetDefaultMemPool, &own, i) &&
		    own == pool)
			ordinal = i;
	room_device(room, ordinal);
}

void room_physical(struct room *room, CUmemGenericAllocationHandle handle)
{
	room_device(room, foreign_device(FOREIGN_PHYSICAL, handle));
}

/* The count may be as wrong as any argument; there are no more devices than
 * DEVICE_MAX. */
void room_location(struct room *room, const CUmemLocation *location,
		   size_t count)
{
	for (size_t i = 0; location && i < count && i < DEVICE_MAX; i++)
		if (location[i].type == CU_MEM_LOCATION_TYPE_DEVICE)
			room_device(room, location[i].id);
}

void room_access(struct room *room, const CUmemAccessDesc *access, size_t count)
{
	for (size_t i = 0; access && i < count && i < DEVICE_MAX; i++)
		room_location(room, &access[i].location, 1);
}

size_t room_product(size_t width, size_t rows)
{
	size_t bytes;

	return __builtin_mul_overflow(width, rows, &bytes) ? 0 : bytes;
}
