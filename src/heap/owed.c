#include <stdatomic.h>

#include "context/context.h"
#include "order/capture.h"
#include "order/marks.h"
#include "owed.h"
#include "reclaim.h"

static __thread int forbidden;

void waits_forbid(void)
{
	forbidden++;
}

void waits_allow(void)
{
	forbidden--;
}

bool waits_are_forbidden(void)
{
	return forbidden > 0;
}

void owed_add(struct device *device, size_t bytes)
{
	size_t before = atomic_load(&device->owed);

	while (before < bytes &&
	       !atomic_compare_exchange_weak(&device->owed, &before, bytes))
		;
}

void owed_give(struct device *device)
{
	size_t bytes;

	if ((!atomic_load(&device->owed) && !atomic_load(&device->pending)) ||
	    capture_any() || !device_is_idle(device))
		return;
	bytes = atomic_exchange(&device->owed, 0);
	reclaim_run(device);
	if (bytes)
		reclaim_now(device, bytes);
}
