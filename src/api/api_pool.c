/* Which pool serves a device. */
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "common/log.h"
#include "common/option.h"
#include "common/pool_choice.h"
#include "common/pool_list.h"
#include "context/context.h"
#include "heap/pools.h"
#include "heap/reclaim.h"
#include "heap/swap.h"
#include "mem/config.h"

static void ordinal_text(int ordinal, char *text, size_t size)
{
	if (ordinal == MNM_HOST)
		snprintf(text, size, "host");
	else
		snprintf(text, size, "%d", ordinal);
}

/* What the name means for the device, as pools_parse has it for MNM_POOL. A
 * negative number, with *result set, if it is wrong. */
static int choice_of(int ordinal, const char *pool, CUresult *result)
{
	int choices[DEVICE_ALL];
	char device[16], text[128], names[POOL_NAMES_SIZE];
	const char *bad = "it has to be one pool, without a device";

	memset(choices, -1, sizeof(choices));
	ordinal_text(ordinal, device, sizeof(device));
	/* A name that is cut has no pool either. */
	snprintf(text, sizeof(text), "%s:%s", device, pool);
	if (!strpbrk(pool, ",:") && pools_parse(text, choices, &bad))
		return choices[ordinal == MNM_HOST ? DEVICE_HOST : ordinal];
	pool_names(names, sizeof(names));
	*result = api_fail(CUDA_ERROR_INVALID_VALUE,
			   "'%.60s': %s; allowed: NAME or NAME@BACKING; pools: "
			   "%s",
			   pool, bad, names);
	return -1;
}

/* Why there is no pool of a choice. */
static CUresult no_pool_of(int choice)
{
	const struct pool_row *row = &pool_rows[pool_choice_row(choice)];

	return pool_row_is_off(row)
		       ? api_fail(CUDA_ERROR_INVALID_VALUE,
				  "%s is switched off, as it has answered "
				  "wrongly",
				  row->name)
		       : api_fail(CUDA_ERROR_OUT_OF_MEMORY,
				  "no host memory for a new pool");
}

static CUresult swap_to(struct device *device, int choice, const char *verb)
{
	struct swap_report report = {0};
	char name[16];

	ordinal_text(device_is_host(device) ? MNM_HOST : device_ordinal(device),
		     name, sizeof(name));
	if (!device_swap(device, choice, config_current(), &report))
		return no_pool_of(choice);
	log_info("the program has asked to %s the pool of device %s: %s, "
		 "before %s",
		 verb, name, pool_choice_name(report.after),
		 pool_choice_name(report.before));
	reclaim_run(device);
	return CUDA_SUCCESS;
}

CUresult mnm_init_pool(int ordinal, const char *pool)
{
	CUresult result;
	struct device *device = api_device(ordinal, &result);
	int choice;

	if (!device)
		return result;
	if (!pool)
		return api_no_pointer("pool");
	choice = choice_of(ordinal, pool, &result);
	return choice < 0 ? result : swap_to(device, choice, "set");
}

CUresult mnm_remove_pool(int ordinal)
{
	CUresult result;
	struct device *device = api_device(ordinal, &result);
	int choice;

	if (!device)
		return result;
	choice = config_current()->pool[device_ordinal(device)];
	return swap_to(device, choice, "remove");
}

CUresult mnm_pool_name(int ordinal, char *name, size_t size)
{
	CUresult result;
	struct device *device = api_device(ordinal, &result);
	const char *found;

	if (!device)
		return result;
	if (!name)
		return api_no_pointer("name");
	found = pool_choice_name(device_choice_serving(device));
	if (strlen(found) >= size)
		return api_fail(CUDA_ERROR_INVALID_VALUE,
				"the name '%s' does not fit into %zu bytes; "
				"allowed: MNM_POOL_NAME_SIZE or more",
				found, size);
	strcpy(name, found);
	return CUDA_SUCCESS;
}

struct measure {
	const struct device *device;
	size_t size, span;
	bool found;
};

static size_t span_of(const struct pool *pool, size_t size)
{
	return pool->view.ops->span(&pool->view, size, 0);
}

static void measure_visit(struct heap *heap, void *arg)
{
	struct measure *measure = arg;

	if (measure->found || heap->device != measure->device || !heap->pools ||
	    heap->pools->retired)
		return;
	measure->span = span_of(heap->pools, measure->size);
	measure->found = true;
}

CUresult mnm_alloc_bytes(int ordinal, size_t size, size_t *bytes)
{
	CUresult result;
	struct device *device = api_device(ordinal, &result);
	struct measure measure = {.device = device, .size = size};
	struct pool *pool;
	int choice;

	if (!device)
		return result;
	if (!bytes)
		return api_no_pointer("bytes");
	if (size)
		heaps_each(measure_visit, &measure);
	if (size && !measure.found) {
		choice = device_choice_serving(device);
		pool = pool_new(choice, config_current());
		if (!pool)
			return no_pool_of(choice);
		measure.span = span_of(pool, size);
		pool_close(pool);
	}
	if (!measure.span)
		return api_fail(CUDA_ERROR_INVALID_VALUE,
				"the pool serves no request of %zu bytes",
				size);
	*bytes = measure.span;
	return CUDA_SUCCESS;
}

CUresult mnm_trim(int ordinal, size_t *bytes)
{
	CUresult result;
	struct device *device = api_device(ordinal, &result);
	size_t idle;

	if (!device)
		return result;
	idle = device_trim(device);
	reclaim_run(device);
	if (bytes)
		*bytes = idle;
	return CUDA_SUCCESS;
}
