#include <stdatomic.h>

#include "context/context.h"
#include "epoch.h"
#include "stats/counter.h"

uint64_t epoch_next(struct device *device)
{
	return atomic_fetch_add(&device->epoch, 1) + 1;
}

uint64_t epoch_end(struct device *device, uint64_t *bytes)
{
	/* The bytes first: what is freed between the two steps belongs to the
	 * ended epoch and is still counted. The other order would miss
	 * bytes. */
	*bytes = quarantine_set(device, 0);
	return epoch_next(device);
}

void epoch_raise(_Atomic uint64_t *epoch, uint64_t to)
{
	uint64_t before = atomic_load(epoch);

	while (before < to && !atomic_compare_exchange_weak(epoch, &before, to))
		;
}

void epoch_publish(struct device *device, uint64_t safe)
{
	epoch_raise(&device->safe, safe);
}

void epoch_over(struct device *device, uint64_t safe)
{
	epoch_raise(&device->over, safe);
	epoch_raise(&device->safe, safe);
}
