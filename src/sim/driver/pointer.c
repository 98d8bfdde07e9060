/* What cuPointerGetAttribute says about an address. */
#include <string.h>

#include "context.h"
#include "entries.h"
#include "host.h"
#include "mapping.h"
#include "physical.h"
#include "range.h"
#include "world.h"

struct pointer {
	const struct block *block;     /* NULL if it is no device memory */
	const struct host_block *host; /* NULL if it is no known host memory */
	const struct range *range; /* NULL if it is not in reserved addresses */
	struct context *ctx;       /* or NULL */
	struct device *dev;
	CUdeviceptr addr;
};

static bool pointer_find(CUdeviceptr addr, struct pointer *pointer)
{
	const struct block *block = device_block(addr);
	const struct host_block *host = host_find((const void *)addr);

	*pointer = (struct pointer){.block = block,
				    .host = host,
				    .range = range_find(addr),
				    .addr = addr};
	if (block)
		pointer->ctx = block->ctx;
	else if (host)
		pointer->ctx = host->ctx;
	if (block)
		pointer->dev = block->dev;
	else if (host)
		pointer->dev = host->ctx->dev;
	return block || host || pointer->range;
}

static bool is_managed(const struct pointer *p)
{
	return p->block && block_is_managed(p->block);
}

static bool is_hosts(const struct pointer *p)
{
	return !p->block || block_is_pinned(p->block);
}

static void put(void *out, const void *value, size_t size)
{
	memcpy(out, value, size);
}

static void put_int(void *out, int value)
{
	put(out, &value, sizeof(value));
}

static void put_address(void *out, CUdeviceptr value)
{
	put(out, &value, sizeof(value));
}

static CUdeviceptr range_start(const struct pointer *p)
{
	if (p->range)
		return p->range->addr;
	return p->block ? p->block->addr : (CUdeviceptr)p->host->base;
}

static size_t range_size(const struct pointer *p)
{
	if (p->range)
		return p->range->size;
	return p->block ? p->block->size : p->host->size;
}

/* A bit for each kind of handle; only memory of cuMemCreate and of pools can
 * have any. */
static int handle_types(const struct pointer *p)
{
	const struct mapping *mapping = (const struct mapping *)p->block;

	if (p->block && p->block->pool)
		return (int)p->block->pool->handles;
	if (!p->block || p->block->kind != BLOCK_MAPPED)
		return 0;
	return (int)mapping->physical->prop.requestedHandleTypes;
}

static int access_flags(const struct pointer *p)
{
	if (!p->block || mapping_allows(p->block, true))
		return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return mapping_allows(p->block, false) ? CU_MEM_ACCESS_FLAGS_PROT_READ
					       : CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

static CUresult host_address(const struct pointer *p, void *out)
{
	if (!is_hosts(p) && !is_managed(p))
		return CUDA_ERROR_INVALID_VALUE;
	put_address(out, p->addr);
	return CUDA_SUCCESS;
}

/* Attributes of addresses, even of those with no memory behind them. */
static CUresult range_get(const struct pointer *p, CUpointer_attribute what,
			  void *out)
{
	switch (what) {
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		if (!p->dev)
			return CUDA_ERROR_INVALID_VALUE;
		put_address(out, range_start(p));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		if (!p->dev)
			return CUDA_ERROR_INVALID_VALUE;
		put_address(out, range_size(p));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		put_int(out, p->dev != NULL);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		if (!p->dev)
			return CUDA_ERROR_INVALID_VALUE;
		put_address(out, p->block ? p->block->addr : range_start(p));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
		if (!p->dev)
			return CUDA_ERROR_INVALID_VALUE;
		put_address(out, p->block ? p->block->size : range_size(p));
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult pointer_get(const struct pointer *p, CUpointer_attribute what,
			    void *out)
{
	unsigned long long id;

	if (!p->dev)
		return range_get(p, what, out);
	switch (what) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		put(out, &p->ctx, sizeof(p->ctx));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		put_int(out, is_hosts(p) ? CU_MEMORYTYPE_HOST
					 : CU_MEMORYTYPE_DEVICE);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		put_address(out, p->addr);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		return host_address(p, out);
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		id = p->block ? p->block->id : p->host->id;
		put(out, &id, sizeof(id));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		put_int(out, is_managed(p));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		put_int(out, p->dev->ordinal);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		put_int(out, p->block && p->block->kind == BLOCK_PLAIN);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
		put_int(out, p->block && p->block->sync_memops);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		put_int(out, handle_types(p));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		put_int(out, 0);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		put_int(out, access_flags(p));
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		put_address(out, p->block ? (CUdeviceptr)p->block->pool : 0);
		return CUDA_SUCCESS;
	default:
		return range_get(p, what, out);
	}
}

CUresult sim_cuPointerGetAttribute(void *out, CUpointer_attribute what,
				   CUdeviceptr addr)
{
	struct pointer pointer;

	if (!out || !pointer_find(addr, &pointer))
		return CUDA_ERROR_INVALID_VALUE;
	return pointer_get(&pointer, what, out);
}

CUresult sim_cuPointerSetAttribute(const void *value, CUpointer_attribute what,
				   CUdeviceptr addr)
{
	struct block *block = device_block(addr);

	if (!value || what != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !block)
		return CUDA_ERROR_INVALID_VALUE;
	block->sync_memops = *(const int *)value;
	return CUDA_SUCCESS;
}

/* The value of an attribute if CUDA does not know the memory (`known` is NULL),
 * or if the memory has no such attribute. */
static void pointer_unknown(const struct pointer *known,
			    CUpointer_attribute what, CUdeviceptr addr,
			    void *out)
{
	switch (what) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_MAPPED:
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
		put_int(out, 0);
		return;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		put_int(out, CU_DEVICE_INVALID);
		return;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		put_address(out, known && known->dev ? 0 : addr);
		return;
	default:
		put_address(out, 0);
	}
}

CUresult sim_cuPointerGetAttributes(unsigned count, CUpointer_attribute *what,
				    void **out, CUdeviceptr addr)
{
	struct pointer pointer;
	bool known;

	if (!count || !what || !out)
		return CUDA_ERROR_INVALID_VALUE;
	known = pointer_find(addr, &pointer);
	for (unsigned i = 0; i < count; i++)
		if (!known || pointer_get(&pointer, what[i], out[i]))
			pointer_unknown(known ? &pointer : NULL, what[i], addr,
					out[i]);
	return CUDA_SUCCESS;
}
