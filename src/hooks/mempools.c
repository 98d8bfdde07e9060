/* CUDA's own pools of stream-ordered memory. */
#include "call.h"
#include "context/context.h"
#include "hook.h"
#include "cuda/backing.h"
#include "heap/mempool.h"
#include "heap/mempool_share.h"
#include "heap/owed.h"
#include "order/marks.h"
#include "mem/cuda_pools.h"
#include "mem/mem.h"
#include "room_of.h"
#include "foreign_call.h"
#include "stats/mempool_stats.h"
#include "order/stream_order.h"

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

/* Whether what mnm takes from the driver can be used as a pool's memory is to
 * be. Hardware can decompress into memory of cuMemAlloc as well, as cuda.h says
 * of cuMemBatchDecompressAsync. RMM asks for that. */
static bool use_is_met(unsigned short usage)
{
	return !(usage & ~CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS);
}

/* See heap/mempool.h. */
static bool can_be_served(const CUmemPoolProps *props)
{
	return props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
	       props->handleTypes == CU_MEM_HANDLE_TYPE_NONE &&
	       props->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
	       props->location.id >= 0 && props->location.id < DEVICE_MAX &&
	       use_is_met(props->usage);
}

/* Notes a pool of a device's memory, or of the host's, so that later requests
 * from the pool count there. */
static void pool_note(const CUmemoryPool *pool, const CUmemLocation *location)
{
	int ordinal = location_device(location);
	struct foreign_claim order;

	if (ordinal == CURRENT || !foreign_begin(&order, ordinal, pool, 0))
		return;
	foreign_end_of(&order, CUDA_SUCCESS, FOREIGN_ASYNC, FOREIGN_POOL, pool,
		       0);
	if (order.device)
		cuda_pool_add(*pool, order.device);
}

EXPORT CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props)
{
	CUresult res = ROOM_CALL(cuMemPoolCreate, out, props);

	if (!res)
		pool_note(out, &props->location);
	if (!res && mem_serves_streams() && can_be_served(props))
		mempool_made(*out, device_at(props->location.id),
			     props->maxSize);
	return res;
}

/* The program may ask for a default pool that nobody has made, and that is no
 * device's own, which are known. */
static void pool_meet(const CUmemoryPool *pool, const CUmemLocation *location,
		      CUmemAllocationType type)
{
	bool known = location->type == CU_MEM_LOCATION_TYPE_DEVICE &&
		     type == CU_MEM_ALLOCATION_TYPE_PINNED;

	if (!known && foreign_device(FOREIGN_POOL, (uint64_t)*pool) < 0)
		pool_note(pool, location);
}

EXPORT CUresult cuMemGetDefaultMemPool(CUmemoryPool *out,
				       CUmemLocation *location,
				       CUmemAllocationType type)
{
	CUresult res = REAL_CALL(cuMemGetDefaultMemPool, out, location, type);

	if (!res)
		pool_meet(out, location, type);
	return res;
}

EXPORT CUresult cuMemGetMemPool(CUmemoryPool *out, CUmemLocation *location,
				CUmemAllocationType type)
{
	CUresult res = REAL_CALL(cuMemGetMemPool, out, location, type);

	if (!res)
		pool_meet(out, location, type);
	return res;
}

EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	CUresult res = ROOM_CALL(cuDeviceSetMemPool, device, pool);

	if (!res && mem_serves_streams())
		mempools_selected();
	return res;
}

EXPORT CUresult cuMemSetMemPool(CUmemLocation *location,
				CUmemAllocationType type, CUmemoryPool pool)
{
	CUresult res = ROOM_CALL(cuMemSetMemPool, location, type, pool);

	if (!res && mem_serves_streams())
		mempools_selected();
	return res;
}

EXPORT CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	struct foreign *foreign =
		foreign_end_begin(FOREIGN_POOL, (uint64_t)pool);
	struct device *device = mem_enabled() ? cuda_pool_remove(pool) : NULL;
	CUresult res = REAL_CALL(cuMemPoolDestroy, pool);

	if (res && device) {
		cuda_pool_add(pool, device);
		cuda_pool_trimmed(pool); /* it has what it had */
	}
	foreign_end_finish(foreign, (int)res);
	if (!res)
		mempool_destroyed(pool);
	return res;
}

/* A peak of both together. CUDA's own is of what it has served alone. */
static cuuint64_t peak_of_both(CUmemoryPool pool, unsigned int number,
			       CUmemPool_attribute now,
			       uint64_t (*peak_with)(unsigned int number,
						     uint64_t beside),
			       cuuint64_t of_cuda)
{
	cuuint64_t current = 0, peak;

	REAL_CALL(cuMemPoolGetAttribute, pool, now, &current);
	peak = peak_with(number, current);
	return peak > of_cuda ? peak : of_cuda;
}

/* Adds what mnm serves for the pool to CUDA's own answer. */
static void figure_correct(CUmemoryPool pool, unsigned int number,
			   CUmemPool_attribute what, cuuint64_t *value)
{
	switch (what) {
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
		*value += mempool_figures(number).reserved;
		return;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
		*value = peak_of_both(pool, number,
				      CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
				      mempool_reserved_peak, *value);
		return;
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		*value += mempool_figures(number).used;
		return;
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		*value = peak_of_both(pool, number,
				      CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
				      mempool_used_peak, *value);
		return;
	default:
		return;
	}
}

EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool,
				      CUmemPool_attribute what, void *value)
{
	CUresult res = REAL_CALL(cuMemPoolGetAttribute, pool, what, value);
	unsigned int number = res ? 0 : mempool_find(pool);

	if (number)
		figure_correct(pool, number, what, value);
	return res;
}

EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool,
				      CUmemPool_attribute what, void *value)
{
	CUresult res = ROOM_CALL(cuMemPoolSetAttribute, pool, what, value);
	unsigned int number = res ? 0 : mempool_find(pool);

	switch (number ? what : 0) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
		mempool_reuse_set(number, REUSE_BY_EVENTS, *(int *)value);
		break;
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
		mempool_reuse_set(number, REUSE_BY_CHANCE, *(int *)value);
		break;
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		mempool_reuse_set(number, REUSE_BY_WAITS, *(int *)value);
		break;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		mempool_keep_set(number, *(cuuint64_t *)value);
		break;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
		mempool_mark_reserved(number);
		break;
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		mempool_mark_used(number);
		mempools_changed();
		break;
	default:
		break;
	}
	return res;
}

/* Whether the program gives another device access to the pool's memory. */
static bool is_shared_with(const CUmemAccessDesc *access,
			   const struct device *owner)
{
	return access->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
	       access->location.id != device_ordinal(owner) &&
	       access->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

/* The number of a pool, which may be the default one of a device from which
 * nothing was asked for yet; 0 if it is not served. */
static unsigned int number_of(CUmemoryPool pool)
{
	unsigned int number = mempool_find(pool);
	CUmemoryPool standard;

	for (int i = 0; !number && mem_serves_streams() && i < DEVICE_MAX &&
			!REAL_CALL(cuDeviceGetDefaultMemPool, &standard, i);
	     i++)
		if (standard == pool)
			number = mempool_number(pool, device_at(i));
	return number;
}

EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool pool,
				   const CUmemAccessDesc *access, size_t count)
{
	CUresult res = ROOM_CALL(cuMemPoolSetAccess, pool, access, count);
	unsigned int number = res ? 0 : number_of(pool);
	struct device *owner = number ? mempool_device(number) : NULL;

	/* What was served for the pool before has to be reached. */
	for (size_t i = 0; !res && owner && i < count; i++)
		if (is_shared_with(&access[i], owner) &&
		    !mempool_share(number, access[i].location.id) &&
		    mempool_figures(number).used)
			res = CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	return res;
}

/* Gives back what is idle of the pool past so many bytes. A trim does not wait
 * for the device, as the driver's free does: where there is work, all stays. So
 * it does while a stream captures. */
static void pool_trim(unsigned int number, size_t keep)
{
	struct device *device = mempool_device(number);

	if (!device_is_idle(device))
		return;
	owed_add(device, mempool_trim(number, keep));
	owed_give(device);
}

EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	CUresult res = REAL_CALL(cuMemPoolTrimTo, pool, keep);
	unsigned int number = res ? 0 : mempool_find(pool);

	if (!res && mem_enabled())
		cuda_pool_trimmed(pool);
	if (number)
		pool_trim(number, keep);
	return res;
}
