#include <inttypes.h>
#include <stdio.h>

#include "block/block.h"
#include "context/context.h"
#include "common/log.h"
#include "mem.h"
#include "mem_log.h"
#include "work.h"
#include "common/text.h"
#include "stats/counter.h"

enum { NAME_SIZE = 16 };

static const char *name_of(const struct device *device, char name[NAME_SIZE])
{
	if (device_is_host(device))
		return "host";
	snprintf(name, NAME_SIZE, "device %d", device_ordinal(device));
	return name;
}

void mem_log_request(const struct device *device, size_t size, uint64_t addr,
		     int result)
{
	char name[NAME_SIZE], work[WORK_SIZE + 3];

	if (!log_shows(LOG_DEBUG))
		return;
	if (result)
		log_debug("%s: %zu bytes: error %d%s", name_of(device, name),
			  size, result, work_text(work));
	else
		log_debug("%s: %zu bytes at %#" PRIx64 "%s",
			  name_of(device, name), size, addr, work_text(work));
}

void mem_log_free(const struct device *device, const struct block *block)
{
	char name[NAME_SIZE];

	if (log_shows(LOG_DEBUG))
		log_debug("%s: free of %zu bytes at %#" PRIx64,
			  name_of(device, name), block_size(block),
			  block_addr(block));
}

static void tell_device(const struct device *device)
{
	char name[NAME_SIZE], live[TEXT_BYTES_SIZE], reserved[TEXT_BYTES_SIZE];
	uint64_t values[COUNTER_MAX];

	counters_get(device, values);
	log_info("%s: %" PRIu64 " requests, %" PRIu64 " of them from idle "
		 "blocks; %s live and %s reserved at most",
		 name_of(device, name), values[COUNTER_allocs],
		 values[COUNTER_hits],
		 text_bytes((int64_t)values[COUNTER_live_peak], live),
		 text_bytes((int64_t)values[COUNTER_reserved_peak], reserved));
}

void mem_log_figures(void)
{
	if (!log_shows(LOG_INFO) || !mem_enabled())
		return;
	for (int i = 0; i < DEVICE_ALL; i++)
		if (device_at(i)->used)
			tell_device(device_at(i));
}
