/* A device's figures, options, and what the program says of itself. */
#include <stddef.h>
#include <string.h>

#include "api.h"
#include "common/log.h"
#include "mem/iteration.h"
#include "mem/live_options.h"
#include "mem/work.h"
#include "stats/counter.h"

CUresult mnm_pool_size(int ordinal, size_t *used, size_t *reserved)
{
	uint64_t values[COUNTER_MAX];
	CUresult result;
	struct device *device = api_device(ordinal, &result);

	if (!device)
		return result;
	counters_get(device, values);
	if (used)
		*used = values[COUNTER_live_bytes];
	if (reserved)
		*reserved = values[COUNTER_reserved_bytes];
	return CUDA_SUCCESS;
}

static struct mnm_stats stats_of(const struct device *device)
{
	uint64_t values[COUNTER_MAX];

	counters_get(device, values);
	return (struct mnm_stats){
		.live_bytes = values[COUNTER_live_bytes],
		.reserved_bytes = values[COUNTER_reserved_bytes],
		.idle_bytes = values[COUNTER_idle_bytes],
		.device_bytes = values[COUNTER_device_bytes],
		.live_peak = values[COUNTER_live_peak],
		.reserved_peak = values[COUNTER_reserved_peak],
		.allocs = values[COUNTER_allocs],
		.hits = values[COUNTER_hits],
		.frees = values[COUNTER_frees],
		.failures = values[COUNTER_failures],
		.driver_allocs = values[COUNTER_driver_allocs],
		.driver_frees = values[COUNTER_driver_frees],
		.syncs = values[COUNTER_syncs],
		.iterations = values[COUNTER_iterations],
	};
}

CUresult mnm_device_stats(int ordinal, struct mnm_stats *stats)
{
	CUresult result;
	struct device *device = api_device(ordinal, &result);
	struct mnm_stats known;
	size_t size;

	if (!device)
		return result;
	if (!stats)
		return api_no_pointer("stats");
	size = stats->size;
	if (size < offsetof(struct mnm_stats, reserved_bytes))
		return api_fail(CUDA_ERROR_INVALID_VALUE,
				"stats->size is %zu; allowed: sizeof(struct "
				"mnm_stats), set before the call",
				size);
	known = stats_of(device);
	known.size = size;
	if (size > sizeof(known))
		memset((char *)stats + sizeof(known), 0, size - sizeof(known));
	memcpy(stats, &known, size < sizeof(known) ? size : sizeof(known));
	return CUDA_SUCCESS;
}

CUresult mnm_set(const char *option, const char *value)
{
	char error[OPTION_ERROR_SIZE];
	struct config config;
	CUresult result;

	if (!api_serves(&result))
		return result;
	if (!option || !value)
		return api_no_pointer(option ? "value" : "option");
	if (!live_option_set(option, value, &config, error, sizeof(error)))
		return api_fail(CUDA_ERROR_INVALID_VALUE, "%s", error);
	log_info("the program has set %s", option);
	return CUDA_SUCCESS;
}

CUresult mnm_mark_iteration(void)
{
	CUresult result;

	if (!api_serves(&result))
		return result;
	iteration_begin();
	return CUDA_SUCCESS;
}

CUresult mnm_name_work(const char *name)
{
	CUresult result;

	if (!api_serves(&result))
		return result;
	work_set(name);
	return CUDA_SUCCESS;
}
