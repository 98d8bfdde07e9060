#include "host.h"

#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "clock.h"
#include "context.h"
#include "entries.h"
#include "owner.h"
#include "world.h"

enum { HOST_PAGE = 4096 };

static struct host_block *blocks; /* by address */
static size_t count, room;

struct host_count host_count;

/* The index of the first block that ends after addr. */
static size_t place_of(const char *addr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (blocks[mid].base + blocks[mid].size > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

const struct host_block *host_find(const void *addr)
{
	size_t at = place_of(addr);

	return at < count && blocks[at].base <= (const char *)addr ? &blocks[at]
								   : NULL;
}

bool host_is_pinned(const void *addr)
{
	const struct block *block;

	if (host_find(addr))
		return true;
	block = device_block((CUdeviceptr)addr);
	return block && block_is_pinned(block);
}

bool host_has_room(size_t size)
{
	size_t most = world.profile.pinned_most;
	size_t used = host_count.live_bytes + arena_used(&world_host()->arena);

	return !most || (size <= most && used <= most - size);
}

static CUresult host_add(struct host_block block)
{
	size_t at = place_of(block.base);

	if (at < count && blocks[at].base < block.base + block.size)
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	if (count == room) {
		size_t wanted = room ? 2 * room : 64;
		struct host_block *more =
			realloc(blocks, wanted * sizeof(*more));

		if (!more)
			return CUDA_ERROR_OUT_OF_MEMORY;
		blocks = more;
		room = wanted;
	}
	memmove(&blocks[at + 1], &blocks[at], (count - at) * sizeof(*blocks));
	blocks[at] = block;
	blocks[at].id = ++world.block_ids;
	count++;
	if (!block.registered) {
		host_count.live++;
		host_count.live_bytes += block.size;
		if (host_count.peak < host_count.live_bytes)
			host_count.peak = host_count.live_bytes;
	}
	owner_give((CUdeviceptr)block.base, block.size);
	return CUDA_SUCCESS;
}

static void host_remove(size_t at)
{
	owner_take((CUdeviceptr)blocks[at].base);
	if (!blocks[at].registered) {
		host_count.live--;
		host_count.live_bytes -= blocks[at].size;
		free(blocks[at].base);
	}
	count--;
	memmove(&blocks[at], &blocks[at + 1], (count - at) * sizeof(*blocks));
}

void host_close(struct context *ctx)
{
	for (size_t at = count; at-- > 0;)
		if (blocks[at].ctx == ctx)
			host_remove(at);
}

CUresult sim_cuMemHostAlloc(void **out, size_t size, unsigned flags)
{
	const unsigned known = CU_MEMHOSTALLOC_PORTABLE |
			       CU_MEMHOSTALLOC_DEVICEMAP |
			       CU_MEMHOSTALLOC_WRITECOMBINED;
	size_t pages = (size + HOST_PAGE - 1) & ~(size_t)(HOST_PAGE - 1);
	struct context *ctx;
	char *base;
	CUresult res;

	if (!out || flags & ~known)
		return CUDA_ERROR_INVALID_VALUE;
	res = context_current(&ctx);
	if (!res)
		res = capture_permit();
	if (res || !size)
		return res; /* nothing is pinned for nothing */
	if (pages < size || !host_has_room(size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	base = aligned_alloc(HOST_PAGE, pages);
	if (!base)
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = host_add((struct host_block){
		.base = base, .size = size, .flags = flags, .ctx = ctx});
	if (res) {
		free(base);
		return res;
	}
	clock_spend(world.profile.host_alloc_ns);
	clock_spend(clock_per_mib(size, world.profile.host_alloc_ns_per_mib));
	*out = base;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemAllocHost_v2(void **out, size_t size)
{
	return sim_cuMemHostAlloc(out, size, 0);
}

/* Ends a block that is named by its base. Waits for the work of all devices,
 * which may still use the block. */
static CUresult host_end(void *base, bool registered, CUresult unknown)
{
	const struct host_block *block = host_find(base);
	CUresult res;

	if (!block || block->base != base || block->registered != registered)
		return unknown;
	res = capture_permit();
	if (res)
		return res;
	owner_ask((CUdeviceptr)base);
	for (int i = 0; i < world.device_count; i++)
		device_wait(&world.devices[i]);
	block = host_find(base);
	if (!block || block->base != base)
		return unknown;
	clock_spend(world.profile.host_free_ns);
	host_remove(block - blocks);
	return CUDA_SUCCESS;
}

CUresult sim_cuMemFreeHost(void *base)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	if (res || !base)
		return res;
	return host_end(base, false, CUDA_ERROR_INVALID_VALUE);
}

CUresult sim_cuMemHostRegister_v2(void *base, size_t size, unsigned flags)
{
	const unsigned known =
		CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
	const unsigned lacking =
		CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
	struct context *ctx;
	CUresult res;

	if (!base || !size || flags & ~(known | lacking))
		return CUDA_ERROR_INVALID_VALUE;
	if (flags & lacking)
		return CUDA_ERROR_NOT_SUPPORTED;
	res = context_current(&ctx);
	if (!res)
		res = capture_permit();
	if (res)
		return res;
	clock_spend(world.profile.host_alloc_ns);
	clock_spend(clock_per_mib(size, world.profile.host_alloc_ns_per_mib));
	return host_add((struct host_block){.base = base,
					    .size = size,
					    .flags = flags,
					    .registered = true,
					    .ctx = ctx});
}

CUresult sim_cuMemHostUnregister(void *base)
{
	struct context *ctx;
	CUresult res = context_current(&ctx);

	return res ? res
		   : host_end(base, true,
			      CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

CUresult sim_cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *addr,
					  unsigned flags)
{
	if (!out || flags || !host_find(addr))
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUdeviceptr)addr;
	return CUDA_SUCCESS;
}

CUresult sim_cuMemHostGetFlags(unsigned *flags, void *addr)
{
	const struct host_block *block = host_find(addr);

	if (!flags || !block)
		return CUDA_ERROR_INVALID_VALUE;
	/* With unified addressing every block is mapped. */
	*flags = block->flags | CU_MEMHOSTALLOC_DEVICEMAP;
	return CUDA_SUCCESS;
}
