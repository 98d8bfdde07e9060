#include <stdatomic.h>

#include "context.h"
#include "epoch.h"

uint64_t epoch_end(struct device *device, uint64_t *bytes)
{
	uint64_t safe = atomic_fetch_add(&device->epoch, 1) + 1;

	*bytes = atomic_exchange(&device->counters[COUNTER_quarantined_bytes],
				 0);
	return safe;
}

void epoch_publish(struct device *device, uint64_t safe)
{
	uint64_t before = atomic_load(&device->safe);

	while (before < safe &&
	       !atomic_compare_exchange_weak(&device->safe, &before, safe))
		;
}
