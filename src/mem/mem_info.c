/* What cudaMemGetInfo says. */
#include "config.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "heap/limit.h"
#include "heap/mempool.h"
#include "mem.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

static size_t room_in(size_t bytes, size_t taken)
{
	return bytes > taken ? bytes - taken : 0;
}

/* What no pool has and does not take of the device for good: what the program
 * has managed, and what a full device has borrowed. */
static size_t elsewhere_of(const struct device *device)
{
	return counter_get(device, COUNTER_managed_bytes) +
	       counter_get(device, COUNTER_borrowed_bytes);
}

/* What more the process may have of a device of which pools hold so much;
 * SIZE_MAX if the driver says by itself. The hard limit counts all. The managed
 * memory of pools is not missing in what the driver says is free until it is
 * used, and no more is given than the device has. */
static size_t room_of(const struct device *device, size_t held)
{
	size_t unpooled = atomic_load(&device->unpooled), total;
	size_t limit = limit_get(LIMIT_HARD);
	size_t room = limit ? room_in(limit, held + unpooled) : SIZE_MAX, most;

	if (!atomic_load(&device->managed) ||
	    backing_device_bytes(device_ordinal(device), &total))
		return room;
	most = room_in(total, held + room_in(unpooled, elsewhere_of(device)));
	return most < room ? most : room;
}

void mem_info(size_t *free, size_t *total)
{
	struct context *context = config_once() ? context_current() : NULL;
	size_t limit, idle, pooled, reserved, held, room;

	if (!context || config_current()->meminfo)
		return;
	limit = limit_get(LIMIT_HARD);
	idle = counter_get(context->device, COUNTER_idle_bytes) +
	       counter_get(context->device, COUNTER_held_bytes);
	/* What counts as reserved for one of CUDA's pools is not free. */
	pooled = mempools_are_used() ? mempools_idle(context->device) : 0;
	idle = room_in(idle, pooled);
	reserved = counter_get(context->device, COUNTER_reserved_bytes);
	held = room_in(reserved, idle); /* read one by one */
	room = room_of(context->device, held);
	if (free)
		*free += idle;
	if (free && *free > room)
		*free = room;
	if (total && limit && *total > limit)
		*total = limit;
}
