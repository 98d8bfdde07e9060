#include "unused.h"

#include <stdbool.h>
#include <time.h>

#include "common/option.h"
#include "context/context.h"
#include "giver.h"
#include "swap.h"
#include "stats/counter.h"

enum { LOOK_SECONDS = 2 };

/* Whether LOOK_SECONDS have passed since the last look. */
static bool look_is_due(time_t now)
{
	static time_t last;
	bool due = last && now - last >= LOOK_SECONDS;

	if (due || !last)
		last = now;
	return due;
}

/* Whether something is idle on the device, and nothing has been asked for or
 * freed there for `patience` seconds. Never if that is 0. */
static bool is_unused(const struct device *device, time_t now, time_t patience)
{
	static struct {
		uint64_t calls;
		time_t since;
	} seen[DEVICE_ALL];
	int ordinal = device_ordinal(device);
	uint64_t calls;

	if (!patience || !device->used)
		return false;
	calls = counter_get(device, COUNTER_allocs) +
		counter_get(device, COUNTER_frees);
	if (calls != seen[ordinal].calls) {
		seen[ordinal].calls = calls;
		seen[ordinal].since = now;
	}
	return now - seen[ordinal].since >= patience &&
	       counter_get(device, COUNTER_idle_bytes);
}

/* Pinned memory goes back at a free of the program's if the giver can't give it
 * back before. */
static void device_look(struct device *device, time_t now,
			const struct config *config)
{
	bool host = device_is_host(device);
	bool unused = is_unused(device, now,
				host ? config->host_idle : config->device_idle);

	if (host && unused &&
	    counter_get(device, COUNTER_idle_bytes) >
		    counter_get(device, COUNTER_pending_bytes))
		device_trim(device);
	giver_want(device, unused);
}

void unused_look(const struct config *config)
{
	struct timespec clock;

	clock_gettime(CLOCK_MONOTONIC, &clock);
	if (!look_is_due(clock.tv_sec))
		return;
	for (int i = 0; i < DEVICE_ALL; i++)
		device_look(device_at(i), clock.tv_sec, config);
	giver_look();
}
