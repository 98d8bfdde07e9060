/* Where pools are: the default and the current pool of each place, and pools
 * that the program makes for one. */
#include "device.h"
#include "entries.h"
#include "mempool.h"
#include "world.h"

/* The host has one NUMA node. */
enum { HOST_NODE = 0 };

struct place {
	struct device *dev; /* whose arena the memory is from */
	CUmemLocation location;
	CUmemAllocationType type;
};

static CUresult place_find(const CUmemLocation *location,
			   CUmemAllocationType type, struct place *place)
{
	bool managed = type == CU_MEM_ALLOCATION_TYPE_MANAGED;

	if (!location || (!managed && type != CU_MEM_ALLOCATION_TYPE_PINNED))
		return CUDA_ERROR_INVALID_VALUE;
	*place = (struct place){.dev = world_host(),
				.location = {location->type, 0},
				.type = type};
	switch (location->type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		place->location.id = location->id;
		return device_find(location->id, &place->dev);
	case CU_MEM_LOCATION_TYPE_HOST:
		return CUDA_SUCCESS;
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
		return location->id == HOST_NODE ? CUDA_SUCCESS
						 : CUDA_ERROR_INVALID_VALUE;
	case CU_MEM_LOCATION_TYPE_NONE: /* managed, and nowhere preferred */
		return managed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* There are default pools of a node, but not of the calling thread's. */
static CUresult place_ask(const CUmemLocation *location,
			  CUmemAllocationType type, struct place *place)
{
	if (location &&
	    location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
		return CUDA_ERROR_NOT_SUPPORTED;
	return place_find(location, type, place);
}

/* Whether it is what cuMemAllocAsync takes from. */
static bool is_devices_own(const struct place *place)
{
	return place->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
	       place->type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

static bool is_there(const struct mempool *pool, const struct place *place)
{
	return pool->type == place->type &&
	       pool->location.type == place->location.type &&
	       pool->location.id == place->location.id && !pool->closed &&
	       !pool->exporter;
}

static CUresult place_open(const struct place *place, struct mempool **pool)
{
	CUresult res = arena_open(&place->dev->arena);

	if (!res)
		res = mempool_create(place->dev, pool);
	if (res)
		return res;
	(*pool)->type = place->type;
	(*pool)->location = place->location;
	if (place->type == CU_MEM_ALLOCATION_TYPE_MANAGED)
		(*pool)->readers = (*pool)->writers = UINT64_MAX;
	return CUDA_SUCCESS;
}

/* A default pool that is not a device's own is made when it is asked for. */
static CUresult standard_find(const struct place *place, struct mempool **out)
{
	struct mempool *pool = &place->dev->pool;
	CUresult res;

	while (pool && !(pool->standard && is_there(pool, place)))
		pool = pool->next;
	*out = pool;
	if (pool)
		return CUDA_SUCCESS;
	res = place_open(place, out);
	if (!res)
		(*out)->standard = true;
	return res;
}

static CUresult current_find(const struct place *place, struct mempool **out)
{
	*out = place->dev->pool_current;
	if (is_devices_own(place))
		return CUDA_SUCCESS;
	*out = &place->dev->pool;
	while (*out && !((*out)->current && is_there(*out, place)))
		*out = (*out)->next;
	return *out ? CUDA_SUCCESS : standard_find(place, out);
}

CUresult sim_cuMemGetDefaultMemPool(CUmemoryPool *out, CUmemLocation *location,
				    CUmemAllocationType type)
{
	struct mempool *pool;
	struct place place;
	CUresult res = place_ask(location, type, &place);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	res = standard_find(&place, &pool);
	if (!res)
		*out = (CUmemoryPool)pool;
	return res;
}

CUresult sim_cuMemGetMemPool(CUmemoryPool *out, CUmemLocation *location,
			     CUmemAllocationType type)
{
	struct mempool *pool;
	struct place place;
	CUresult res = place_find(location, type, &place);

	if (res)
		return res;
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	res = current_find(&place, &pool);
	if (!res)
		*out = (CUmemoryPool)pool;
	return res;
}

CUresult sim_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
			     CUmemoryPool handle)
{
	struct mempool *pool;
	struct place place;
	CUresult res = place_find(location, type, &place);

	if (!res)
		res = mempool_find(handle, &pool);
	if (res)
		return res;
	if (!is_there(pool, &place))
		return CUDA_ERROR_INVALID_VALUE;
	if (is_devices_own(&place)) {
		place.dev->pool_current = pool;
		return CUDA_SUCCESS;
	}
	for (struct mempool *p = &place.dev->pool; p; p = p->next)
		if (is_there(p, &place))
			p->current = p == pool;
	return CUDA_SUCCESS;
}

static CUmemLocation location_of(CUdevice device)
{
	return (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, device};
}

CUresult sim_cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device)
{
	CUmemLocation location = location_of(device);

	return sim_cuMemGetDefaultMemPool(out, &location,
					  CU_MEM_ALLOCATION_TYPE_PINNED);
}

CUresult sim_cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device)
{
	CUmemLocation location = location_of(device);

	return sim_cuMemGetMemPool(out, &location,
				   CU_MEM_ALLOCATION_TYPE_PINNED);
}

/* It may be one of managed memory, unlike that of cuMemSetMemPool. */
CUresult sim_cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle)
{
	CUmemLocation location = location_of(device);
	struct mempool *pool;
	struct place place;
	CUresult res = mempool_find(handle, &pool);

	if (!res)
		res = place_find(&location, pool->type, &place);
	if (!res && !is_there(pool, &place))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res)
		place.dev->pool_current = pool;
	return res;
}

static CUresult handles_check(const struct place *place,
			      CUmemAllocationHandleType types)
{
	const unsigned known = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

	if (types && place->location.type == CU_MEM_LOCATION_TYPE_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	if (types & ~known ||
	    (types && place->type == CU_MEM_ALLOCATION_TYPE_MANAGED))
		return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props)
{
	struct mempool *pool;
	struct place place;
	CUresult res;

	if (!out || !props)
		return CUDA_ERROR_INVALID_VALUE;
	res = place_find(&props->location, props->allocType, &place);
	if (!res)
		res = handles_check(&place, props->handleTypes);
	if (!res)
		res = arena_open(&place.dev->arena);
	/* What has no file cannot be shared. */
	if (!res && props->handleTypes && place.dev->arena.fd < 0)
		res = CUDA_ERROR_NOT_SUPPORTED;
	if (!res)
		res = place_open(&place, &pool);
	if (res)
		return res;
	pool->most = props->maxSize;
	pool->handles = props->handleTypes;
	*out = (CUmemoryPool)pool;
	return CUDA_SUCCESS;
}
