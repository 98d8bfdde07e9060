/* What cudaMemGetInfo says. */
#include "config.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "heap/limit.h"
#include "heap/mempool.h"
#include "mem.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

/* The bytes that the process may have of a device; 0 if the driver says by
 * itself. Managed memory is not missing in what the driver says is free until
 * it is used, and no more is given than the device has. */
static size_t most_of(const struct device *device)
{
	size_t limit = limit_get(LIMIT_HARD), total;

	if (!atomic_load(&device->managed) ||
	    backing_device_bytes(device_ordinal(device), &total))
		return limit;
	return limit && limit < total ? limit : total;
}

void mem_info(size_t *free, size_t *total)
{
	struct context *context = config_once() ? context_current() : NULL;
	size_t limit, idle, pooled, reserved, held, room;

	if (!context || config_current()->meminfo)
		return;
	limit = most_of(context->device);
	idle = counter_get(context->device, COUNTER_idle_bytes) +
	       counter_get(context->device, COUNTER_held_bytes);
	/* What counts as reserved for one of CUDA's pools is not free. */
	pooled = mempools_are_used() ? mempools_idle(context->device) : 0;
	idle = idle > pooled ? idle - pooled : 0;
	reserved = counter_get(context->device, COUNTER_reserved_bytes);
	held = reserved > idle ? reserved - idle : 0; /* read one by one */
	held += atomic_load(&context->device->unpooled);
	room = limit > held ? limit - held : 0;
	if (free)
		*free += idle;
	if (free && limit && *free > room)
		*free = room;
	if (total && limit && *total > limit)
		*total = limit;
}
