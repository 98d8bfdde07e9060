/* The entries for memory pools themselves; pool.c has the allocations, and
 * pool_place.c says where pools are. */
#include "capture.h"
#include "device.h"
#include "entries.h"
#include "mempool.h"
#include "world.h"

CUresult sim_cuMemPoolDestroy(CUmemoryPool handle)
{
	struct mempool *pool;
	CUresult res = mempool_find(handle, &pool);

	if (res)
		return res;
	/* A GPU refused to destroy a pool with memory that is imported. */
	if (pool->standard || (pool->exporter && pool->blocks))
		return CUDA_ERROR_INVALID_VALUE;
	mempool_destroy(pool);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolTrimTo(CUmemoryPool handle, size_t keep)
{
	struct mempool *pool;
	CUresult res = mempool_find(handle, &pool) ?: capture_permit();

	if (!res)
		mempool_trim(pool, keep);
	return res;
}

/* The number behind an attribute, or NULL. */
static uint64_t *pool_number(struct mempool *pool, CUmemPool_attribute what)
{
	switch (what) {
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		return &pool->threshold;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
		return &pool->reserved;
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		return &pool->used;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
		return &pool->reserved_high;
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		return &pool->used_high;
	default:
		return NULL;
	}
}

static int *pool_flag(struct mempool *pool, CUmemPool_attribute what)
{
	if (what < CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES ||
	    what > CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
		return NULL;
	return &pool->reuse[what -
			    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
}

CUresult sim_cuMemPoolGetAttribute(CUmemoryPool handle,
				   CUmemPool_attribute what, void *value)
{
	struct mempool *pool;
	CUresult res = mempool_find(handle, &pool) ?: capture_permit();

	if (res)
		return res;
	/* A GPU did not tell the figures of a pool that was imported. */
	if (!value || pool->exporter ||
	    (!pool_number(pool, what) && !pool_flag(pool, what)))
		return CUDA_ERROR_INVALID_VALUE;
	if (pool_flag(pool, what))
		*(int *)value = *pool_flag(pool, what);
	else
		*(cuuint64_t *)value = *pool_number(pool, what);
	return CUDA_SUCCESS;
}

/* A high-water mark can be reset, with the value zero only. */
static CUresult mark_reset(struct mempool *pool, CUmemPool_attribute what,
			   cuuint64_t value)
{
	if (value)
		return CUDA_ERROR_INVALID_VALUE;
	if (what == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)
		pool->reserved_high = pool->reserved;
	else if (what == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
		pool->used_high = pool->used;
	else
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolSetAttribute(CUmemoryPool handle,
				   CUmemPool_attribute what, void *value)
{
	struct mempool *pool;
	CUresult res = mempool_find(handle, &pool) ?: capture_permit();

	if (res)
		return res;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	if (pool_flag(pool, what)) {
		*pool_flag(pool, what) = *(int *)value;
		return CUDA_SUCCESS;
	}
	if (what != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
		return mark_reset(pool, what, *(cuuint64_t *)value);
	pool->threshold = *(cuuint64_t *)value;
	return CUDA_SUCCESS;
}

/* The pool's own device always has access. */
static CUresult desc_check(const struct mempool *pool,
			   const CUmemAccessDesc *desc)
{
	struct device *dev;
	CUresult res;

	if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    (desc->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
	     desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
	     desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
		return CUDA_ERROR_INVALID_VALUE;
	res = device_find(desc->location.id, &dev);
	if (!res && dev == pool->dev &&
	    desc->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
		return CUDA_ERROR_INVALID_DEVICE;
	return res;
}

CUresult sim_cuMemPoolSetAccess(CUmemoryPool handle,
				const CUmemAccessDesc *desc, size_t count)
{
	struct mempool *pool;
	CUresult res = mempool_find(handle, &pool);

	if (!res && (!desc || !count))
		res = CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; !res && i < count; i++)
		res = desc_check(pool, &desc[i]);
	for (size_t i = 0; !res && i < count; i++) {
		uint64_t bit = (uint64_t)1 << desc[i].location.id;

		pool->readers &= ~bit;
		pool->writers &= ~bit;
		if (desc[i].flags & CU_MEM_ACCESS_FLAGS_PROT_READ)
			pool->readers |= bit;
		if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			pool->writers |= bit;
	}
	return res;
}

CUresult sim_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool handle,
				CUmemLocation *location)
{
	struct mempool *pool;
	struct device *dev;
	CUresult res = mempool_find(handle, &pool);

	if (res)
		return res;
	if (!flags || !location ||
	    location->type == CU_MEM_LOCATION_TYPE_INVALID)
		return CUDA_ERROR_INVALID_VALUE;
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE) {
		*flags = mempool_is_hosts(pool)
				 ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
				 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
		return CUDA_SUCCESS;
	}
	res = device_find(location->id, &dev);
	if (res)
		return res;
	*flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	if (pool->writers >> location->id & 1)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	else if (pool->readers >> location->id & 1)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
	return CUDA_SUCCESS;
}
