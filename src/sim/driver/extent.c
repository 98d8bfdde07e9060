#include "extent.h"

#include "device.h"
#include "host.h"
#include "mapping.h"
#include "world.h"

static bool host_extent(CUdeviceptr addr, struct extent *extent)
{
	const struct host_block *host = host_find((const void *)addr);

	if (!host)
		return false;
	*extent = (struct extent){(CUdeviceptr)host->base,
				  (CUdeviceptr)host->base + host->size, true};
	return true;
}

bool extent_find(CUdeviceptr addr, struct extent *extent)
{
	const struct block *block = device_block(addr);
	bool mapped = block && block->kind == BLOCK_MAPPED;

	if (!block)
		return host_extent(addr, extent);
	*extent = (struct extent){block->addr, block->addr + block->size,
				  !mapped || mapping_allows(block, true)};
	return !mapped || mapping_allows(block, false);
}

/* A block of an arena, idle or not. */
static const struct block *block_in_arena(CUdeviceptr addr)
{
	for (int i = 0; i <= world.device_count; i++) {
		const struct arena *arena = &world.devices[i].arena;

		if (arena_covers(arena, addr))
			return arena_holder(arena, addr);
	}
	return NULL;
}

bool extent_now(CUdeviceptr addr, struct extent *extent)
{
	const struct block *block;
	bool found = true;

	pthread_mutex_lock(&world.lock);
	block = block_in_arena(addr);
	if (block)
		*extent = (struct extent){block->addr,
					  block->addr + block->span, true};
	else
		found = extent_find(addr, extent);
	pthread_mutex_unlock(&world.lock);
	return found;
}

/* Mappings that lie side by side are one memory to the program. */
bool extent_has(CUdeviceptr addr, size_t size, bool write)
{
	CUdeviceptr end = addr + size;
	struct extent extent;

	while (addr < end) {
		if (!extent_now(addr, &extent) || (write && !extent.writable))
			return false;
		addr = extent.end;
	}
	return true;
}
