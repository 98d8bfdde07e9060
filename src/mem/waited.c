#include "context/context.h"
#include "cuda_pools.h"
#include "heap/mempool.h"
#include "heap/owed.h"
#include "mem.h"
#include "preload/serving.h"
#include "stats/mempool_stats.h"

void mem_waited(void)
{
	struct device *device;

	if (!serving_is_on())
		return;
	cuda_pools_waited();
	if (!mempools_are_used())
		return;
	for (int i = 0; i < DEVICE_MAX; i++) {
		device = device_at(i);
		if (!device->used)
			continue;
		atomic_store(&device->waited_in_vain, false);
		owed_add(device, mempools_return(device));
		owed_give(device);
	}
}
