#include <cuda.h>

#include "backing.h"
#include "config.h"
#include "context.h"
#include "fence.h"
#include "giveback.h"
#include "host.h"
#include "take.h"

enum { TRIES_MAX = 1000 }; /* of one request on a full device */

static size_t limit_hard(const struct device *device)
{
	return device_is_host(device) ? 0 : config_current()->hard_limit;
}

/* Past the lower of the limits idle blocks go first. */
static size_t limit_lower(const struct device *device)
{
	size_t soft = device_is_host(device) ? host_limit()
					     : config_current()->pool_limit;
	size_t hard = limit_hard(device);

	return soft && (!hard || soft < hard) ? soft : hard;
}

static int take(const struct store *store, size_t span, uint64_t *addr)
{
	return device_is_host(store->device)
		       ? backing_take_host(span, store->flags, addr)
		       : backing_take(span, addr);
}

/* Sends back what all pools of the device hold idle. Whether that can have
 * made room: a block may have been kept just before nothing is any more. */
static bool room_make(struct device *device)
{
	return device_release(device) ||
	       counter_get(device, COUNTER_idle_bytes);
}

/* Tries claim after claim while there is room to make; twice at least. Only
 * the hard limit counts now. */
static bool claim_pressed(struct device *device, size_t span)
{
	size_t hard = limit_hard(device);
	bool more = true;
	bool claimed = device_claim(device, span, limit_lower(device));

	if (claimed)
		return true;
	device_press(device);
	for (int i = 0; !claimed && (i < 2 || more) && i < TRIES_MAX; i++) {
		more = room_make(device);
		claimed = device_claim(device, span, hard);
	}
	device_unpress(device);
	return claimed;
}

/* The driver's memory, with as many tries; at last its own error. */
static int take_pressed(const struct store *store, size_t span, uint64_t *addr)
{
	const int full = CUDA_ERROR_OUT_OF_MEMORY;
	struct device *device = store->device;
	int res = take(store, span, addr);
	bool more = true;

	if (res != full)
		return res;
	device_press(device);
	for (int i = 0; res == full && (i < 2 || more) && i < TRIES_MAX; i++) {
		more = room_make(device);
		res = take(store, span, addr);
	}
	device_unpress(device);
	return res;
}

int store_take(struct store *store, size_t span, bool pressed, uint64_t *addr)
{
	struct device *device = store->device;
	int res;

	if (pressed ? !claim_pressed(device, span)
		    : !device_claim(device, span, limit_lower(device)))
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = pressed ? take_pressed(store, span, addr)
		      : take(store, span, addr);
	if (device_check(store->context->device, res)) {
		device_unclaim(device, span);
		return res;
	}
	counter_add(device, COUNTER_driver_allocs, 1);
	device_reserve(device, span);
	return CUDA_SUCCESS;
}
