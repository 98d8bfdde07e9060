#include "alias.h"

#include "mapping.h"
#include "physical.h"
#include "window.h"

/* Takes this mapping, or else one behind it, that reaches as far as the part.
 * Returns false if none does. */
static bool mapping_take(struct alias *alias, const struct mapping *mapping)
{
	size_t room;

	while (mapping && mapping->block.size <= alias->offset)
		mapping = mapping->next;
	alias->mapping = mapping;
	if (!mapping)
		return false;
	room = mapping->block.size - alias->offset;
	alias->addr = mapping->block.addr + alias->offset;
	alias->end = alias->addr + (room < alias->size ? room : alias->size);
	return true;
}

void alias_first(struct alias *alias, CUdeviceptr addr, CUdeviceptr end)
{
	const struct block *block = outside_find(addr);
	size_t room;

	*alias = (struct alias){
		.addr = addr, .end = end, .rest = end, .rest_end = end};
	if (!block || block->kind != BLOCK_MAPPED)
		return;
	alias->offset = addr - block->addr;
	room = block->size - alias->offset;
	alias->size = room < end - addr ? room : end - addr;
	alias->rest = addr + alias->size;
	mapping_take(alias,
		     ((const struct mapping *)block)->physical->mappings);
}

bool alias_next(struct alias *alias)
{
	if (alias->mapping && mapping_take(alias, alias->mapping->next))
		return true;
	if (alias->rest == alias->rest_end)
		return false;
	alias_first(alias, alias->rest, alias->rest_end);
	return true;
}
