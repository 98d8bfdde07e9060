#include "context/context.h"
#include "heap/mempool.h"
#include "heap/owed.h"
#include "mem.h"
#include "preload/serving.h"
#include "stats/mempool_stats.h"

void mem_waited(void)
{
	struct device *device;

	if (!mempools_are_used() || !serving_is_on())
		return;
	for (int i = 0; i < DEVICE_MAX; i++) {
		device = device_at(i);
		if (!device->used)
			continue;
		owed_add(device, mempools_return(device));
		owed_give(device);
	}
}
