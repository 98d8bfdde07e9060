/* What cudaMemGetInfo says. */
#include "config.h"
#include "context/context.h"
#include "heap/limit.h"
#include "mem.h"
#include "stats/counter.h"

void mem_info(size_t *free, size_t *total)
{
	struct context *context = config_once() ? context_current() : NULL;
	size_t limit, idle, reserved, held, room;

	if (!context || config_current()->meminfo)
		return;
	limit = limit_get(LIMIT_HARD);
	idle = counter_get(context->device, COUNTER_idle_bytes) +
	       counter_get(context->device, COUNTER_held_bytes);
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
