#include "holder.h"

#include "block/block.h"
#include "call.h"
#include "context/context.h"
#include "heap/region.h"
#include "mem/imports.h"
#include "mem/mem.h"
#include "pools/pool.h"

char holder_none;

/* The allocation of CUDA's at base has the address. */
static void holder_import(struct holder *holder, CUdeviceptr addr,
			  CUdeviceptr base)
{
	struct import import;

	if (!import_find(addr, &import) || import.base != base)
		return;
	holder->imported = true;
	holder->base = import.addr;
	holder->size = import.size;
}

/* The block that begins there. If its context may just be ending, the driver
 * may have given its memory out again: then that is waited for. */
static struct block *block_at(uint64_t start, uint64_t *word)
{
	struct block *block = block_find(start, word);
	const struct pool *pool = block ? block_pool(block) : NULL;
	struct context *context = pool ? pool->heap->context : NULL;

	if (!context || context_serves(context))
		return block;
	context_await(context);
	return block_find(start, word);
}

struct holder holder_of(CUdeviceptr addr)
{
	struct holder holder = {0};
	uint64_t start;

	if (!mem_enabled())
		return holder;
	region_await(addr);
	holder.placed = region_block_at(addr, &start, &holder.backing);
	if (!holder.placed &&
	    REAL_CALL(cuPointerGetAttribute, &start,
		      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, addr))
		return holder;
	if (start)
		holder.block = block_at(start, &holder.word);
	if (holder.block) {
		holder.base = start;
		holder.size = block_size(holder.block);
	} else if (!holder.placed) {
		holder_import(&holder, addr, start);
	}
	return holder;
}

bool holder_is_known(const struct holder *holder)
{
	return holder->block || holder->imported;
}

CUdeviceptr holder_address(const struct holder *holder, CUdeviceptr addr)
{
	bool gone = holder->block ? holder->word & BLOCK_IDLE ||
					    addr - holder->base >= holder->size
				  : holder->placed;

	return gone ? NO_ALLOCATION : addr;
}
