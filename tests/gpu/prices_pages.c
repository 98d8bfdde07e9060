/* What the calls for addresses and mapped memory cost the host. */
#include "prices.h"

static const CUmemAllocationProp page_prop = {
	.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0},
};

static CUresult address_reserve(struct world *world)
{
	return cuMemAddressReserve(&world->block, world->size, 0, 0, 0);
}

static CUresult address_free(struct world *world)
{
	return cuMemAddressFree(world->block, world->size);
}

static CUresult pages_create(struct world *world)
{
	return cuMemCreate(&world->pages, world->size, &page_prop, 0);
}

static CUresult pages_release(struct world *world)
{
	return cuMemRelease(world->pages);
}

static CUresult pages_map(struct world *world)
{
	return cuMemMap(world->place, world->size, 0, world->pages, 0);
}

static CUresult pages_access(struct world *world)
{
	const CUmemAccessDesc all = {page_prop.location,
				     CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

	return cuMemSetAccess(world->place, world->size, &all, 1);
}

static CUresult pages_unmap(struct world *world)
{
	return cuMemUnmap(world->place, world->size);
}

static CUresult created_and_mapped(struct world *world)
{
	CUresult res = pages_create(world);

	return res ? res : pages_map(world);
}

static CUresult created_and_in_use(struct world *world)
{
	CUresult res = created_and_mapped(world);

	return res ? res : pages_access(world);
}

static CUresult unmapped_and_released(struct world *world)
{
	CUresult res = pages_unmap(world);

	return res ? res : pages_release(world);
}

/* Many handles of one page each, side by side, as in a pool whose pages
 * move. */

static CUresult many_map(struct world *world)
{
	CUresult res = CUDA_SUCCESS;

	for (int i = 0; !res && i < MANY; i++) {
		res = cuMemCreate(&world->many[i], PAGE, &page_prop, 0);
		if (!res)
			res = cuMemMap(world->place + (size_t)i * PAGE, PAGE, 0,
				       world->many[i], 0);
	}
	return res;
}

static CUresult many_use(struct world *world)
{
	CUresult res = many_map(world);

	return res ? res : pages_access(world);
}

static CUresult many_release(struct world *world)
{
	CUresult res = CUDA_SUCCESS;

	for (int i = 0; !res && i < MANY; i++)
		res = cuMemRelease(world->many[i]);
	return res;
}

static CUresult many_end(struct world *world)
{
	CUresult res = pages_unmap(world);

	return res ? res : many_release(world);
}

const struct price many_prices[MANY_PRICES] = {
	{"cuMemSetAccess of 32 pages", pages_access, many_map, many_end},
	{"cuMemUnmap of 32 pages", pages_unmap, many_use, many_release},
};

/* Memory is mapped in multiples of 2 MiB. */
const struct price page_prices[PAGE_PRICES] = {
	{"cuMemAddressReserve", address_reserve, NULL, address_free},
	{"cuMemAddressFree", address_free, address_reserve, NULL},
	{"cuMemCreate", pages_create, NULL, pages_release},
	{"cuMemMap", pages_map, pages_create, unmapped_and_released},
	{"cuMemSetAccess", pages_access, created_and_mapped,
	 unmapped_and_released},
	{"cuMemUnmap", pages_unmap, created_and_in_use, pages_release},
	{"cuMemRelease", pages_release, pages_create, NULL},
};
