#include "report.h"

#include <inttypes.h>
#include <stdio.h>

#include "copied.h"
#include "entries.h"
#include "host.h"
#include "missing.h"
#include "names.h"
#include "tally.h"
#include "world.h"

static void report_device(FILE *out, const struct device *dev)
{
	const struct arena *arena = &dev->arena;

	fprintf(out,
		"device %d capacity %zu live_allocs %zu live_bytes %zu "
		"reserved %zu reserved_peak %zu\n",
		dev->ordinal, arena->capacity, arena->live, arena->live_bytes,
		arena_used(arena), arena->peak);
}

void report_write(const char *path)
{
	const struct arena *arena = &world_host()->arena;
	FILE *out = fopen(path, "we");

	if (!out) {
		fprintf(stderr, "mnm-sim: MNM_SIM_REPORT: cannot open %s: %m\n",
			path);
		return;
	}
	pthread_mutex_lock(&world.lock);
	for (int i = 0; i < world.device_count; i++)
		report_device(out, &world.devices[i]);
	fprintf(out, "host live_allocs %zu live_bytes %zu live_peak %zu\n",
		host_count.live, host_count.live_bytes, host_count.peak);
	if (arena->base)
		fprintf(out,
			"host_pools live_allocs %zu live_bytes %zu "
			"reserved %zu reserved_peak %zu\n",
			arena->live, arena->live_bytes, arena_used(arena),
			arena->peak);
	for (unsigned id = 0; id < CALL_COUNT; id++)
		if (tally_total(id))
			fprintf(out, "call %s %lu\n", call_names[id].name,
				tally_total(id));
	missing_report(out);
	copied_report(out);
	fprintf(out, "clock_ns %" PRIu64 "\n", world.latest);
	pthread_mutex_unlock(&world.lock);
	fclose(out);
}
