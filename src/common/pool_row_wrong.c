#include "plugin.h"

#include <mnm/pool.h>

const char *pool_row_wrong(const struct mnm_pool_row *row)
{
	const struct mnm_pool_ops *ops = row->ops;
	bool places = ops->place, keeps = ops->alloc;

	if (ops->size < sizeof(struct mnm_pool))
		return "its size is less than that of struct mnm_pool";
	if (!ops->span)
		return "it has no span";
	if (keeps != !!ops->free || keeps != !!ops->trim)
		return "it has some of alloc, free and trim, but not all";
	if (places != !!ops->add || places != !!ops->lacks ||
	    places != !!ops->part)
		return "it has some of place, add, lacks and part, but not all";
	if (places && keeps)
		return "it has both alloc and place";
	if (!ops->alloc_batch != !ops->free_batch ||
	    (ops->alloc_batch && !keeps))
		return "alloc_batch and free_batch go with alloc, and together";
	if (places != (row->backing != MNM_BACKING_NONE))
		return "a backing goes with place";
	if ((ops->part_aged || ops->grows) && !places)
		return "part_aged and grows go with place";
	return NULL;
}
