/* Advice and prefetches for managed memory. Its pages do not move: what the
 * program asks for is recorded, for whole allocations, and can be queried. */
#include "managed.h"

#include <string.h>

#include "clock.h"
#include "context.h"
#include "entries.h"
#include "op.h"
#include "stream.h"
#include "world.h"

struct block *managed_range(CUdeviceptr addr, size_t size)
{
	struct block *block = device_block(addr);

	if (!block || !block_is_managed(block) || !size ||
	    size > block->addr + block->size - addr)
		return NULL;
	return block;
}

CUresult managed_location_check(CUmemLocation location)
{
	struct device *dev;

	switch (location.type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		return device_find(location.id, &dev);
	case CU_MEM_LOCATION_TYPE_HOST:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA:
	case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* The location of a device number, which older versions of entries take. */
static CUmemLocation location_of(CUdevice device)
{
	if (device == CU_DEVICE_CPU)
		return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST};
	return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE,
			       .id = device};
}

CUresult sim_cuMemAdvise_v2(CUdeviceptr addr, size_t size, CUmem_advise advice,
			    CUmemLocation location)
{
	struct block *block = managed_range(addr, size);
	bool mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY ||
		      advice == CU_MEM_ADVISE_UNSET_READ_MOSTLY;
	struct advice *had;
	uint64_t bit = 0;
	CUresult res;

	if (!block)
		return CUDA_ERROR_INVALID_VALUE;
	res = mostly || advice == CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION
		      ? CUDA_SUCCESS
		      : managed_location_check(location);
	if (res)
		return res;
	had = &block->advice;
	if (location.type == CU_MEM_LOCATION_TYPE_DEVICE)
		bit = (uint64_t)1 << (location.id & 63);
	switch (advice) {
	case CU_MEM_ADVISE_SET_READ_MOSTLY:
	case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
		had->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
		had->preferred = location;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		had->preferred = (CUmemLocation){0};
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_SET_ACCESSED_BY:
		had->accessed_by |= bit;
		had->accessed_by_host |= !bit;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
		had->accessed_by &= ~bit;
		had->accessed_by_host &= bit != 0;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult sim_cuMemAdvise(CUdeviceptr addr, size_t size, CUmem_advise advice,
			 CUdevice device)
{
	return sim_cuMemAdvise_v2(addr, size, advice, location_of(device));
}

static void prefetch_run(struct op *op)
{
	(void)op;
}

CUresult sim_cuMemPrefetchAsync_v2(CUdeviceptr addr, size_t size,
				   CUmemLocation location, unsigned flags,
				   CUstream where)
{
	struct block *block = managed_range(addr, size);
	struct stream *stream;
	struct op *op;
	CUresult res;

	if (!block || flags)
		return CUDA_ERROR_INVALID_VALUE;
	res = managed_location_check(location);
	if (!res)
		res = stream_use(where, &stream);
	if (res)
		return res;
	if (stream->capture)
		return CUDA_ERROR_NOT_SUPPORTED;
	op = op_new(prefetch_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	clock_spend(world.profile.submit_ns);
	block->advice.prefetched = location;
	return op_submit(
		op, stream,
		world.profile.copy_ns +
			clock_transfer(size, world.profile.pinned_rate));
}

CUresult sim_cuMemPrefetchAsync(CUdeviceptr addr, size_t size, CUdevice device,
				CUstream where)
{
	return sim_cuMemPrefetchAsync_v2(addr, size, location_of(device), 0,
					 where);
}

/* The device number of a location. */
static int device_of(CUmemLocation location)
{
	switch (location.type) {
	case CU_MEM_LOCATION_TYPE_DEVICE:
		return location.id;
	case CU_MEM_LOCATION_TYPE_INVALID:
		return CU_DEVICE_INVALID;
	default:
		return CU_DEVICE_CPU;
	}
}

/* Devices, and then the host. */
static void devices_write(const struct advice *had, int *out, size_t room)
{
	uint64_t bits = had->accessed_by;
	bool host = had->accessed_by_host;

	for (size_t i = 0; i < room; i++) {
		out[i] = bits   ? __builtin_ctzll(bits)
			 : host ? CU_DEVICE_CPU
				: CU_DEVICE_INVALID;
		host &= bits != 0;
		bits &= bits - 1;
	}
}

CUresult sim_cuMemRangeGetAttribute(void *out, size_t room,
				    CUmem_range_attribute what,
				    CUdeviceptr addr, size_t size)
{
	const struct block *block = managed_range(addr, size);
	const struct advice *had;
	int value;

	if (!out || !block || !room || room % sizeof(value))
		return CUDA_ERROR_INVALID_VALUE;
	had = &block->advice;
	switch (what) {
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		value = had->read_mostly;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
		value = device_of(had->preferred);
		break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
		value = had->preferred.type;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
		value = had->preferred.id;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
		value = device_of(had->prefetched);
		break;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		value = had->prefetched.type;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
		value = had->prefetched.id;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		devices_write(had, out, room / sizeof(value));
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (room != sizeof(value))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(out, &value, sizeof(value));
	return CUDA_SUCCESS;
}

CUresult sim_cuMemRangeGetAttributes(void **out, size_t *rooms,
				     CUmem_range_attribute *what, size_t count,
				     CUdeviceptr addr, size_t size)
{
	CUresult res = CUDA_SUCCESS;

	if (!out || !rooms || !what || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; !res && i < count; i++)
		res = sim_cuMemRangeGetAttribute(out[i], rooms[i], what[i],
						 addr, size);
	return res;
}

/* Only checks its arguments: who may access the memory is not enforced. */
CUresult sim_cuStreamAttachMemAsync(CUstream where, CUdeviceptr addr,
				    size_t size, unsigned flags)
{
	const struct block *block = device_block(addr);
	struct stream *stream;
	CUresult res = stream_use(where, &stream);

	if (res)
		return res;
	if (!block || !block_is_managed(block) || block->addr != addr ||
	    (size && size != block->size))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
	    flags != CU_MEM_ATTACH_SINGLE)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}
