#include "shown.h"

#include "block/block.h"
#include "cuda/tool.h"
#include "heap/placed.h"
#include "heap/region.h"

void shown_begin(uint64_t addr, size_t bytes)
{
	const struct heap_region *region =
		tool_listens() ? region_at(addr) : NULL;

	if (region)
		tool_block_begin(region->tool, addr, bytes);
}

void shown_end(const struct block *block)
{
	if (tool_listens() && block_is_placed(block))
		tool_block_end(block_addr(block));
}
