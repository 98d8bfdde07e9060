#include <cuda.h>

#include "backing.h"
#include "config.h"
#include "context.h"
#include "fence.h"
#include "giveback.h"
#include "take.h"

enum { TRIES_MAX = 1000 }; /* of one request on a full device */

/* Past the lower of the limits idle blocks go first. */
static size_t limit_lower(void)
{
	size_t soft = config_current()->pool_limit;
	size_t hard = config_current()->hard_limit;

	return soft && (!hard || soft < hard) ? soft : hard;
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
	size_t hard = config_current()->hard_limit;
	bool more = true, claimed = device_claim(device, span, limit_lower());

	if (claimed)
		return true;
	device->pressed++;
	for (int i = 0; !claimed && (i < 2 || more) && i < TRIES_MAX; i++) {
		more = room_make(device);
		claimed = device_claim(device, span, hard);
	}
	device->pressed--;
	return claimed;
}

/* The driver's memory, with as many tries; at last its own error. */
static CUresult take_pressed(struct device *device, size_t span, uint64_t *addr)
{
	const int full = CUDA_ERROR_OUT_OF_MEMORY;
	int res = backing_take(span, addr);
	bool more = true;

	if (res != full)
		return res;
	device->pressed++;
	for (int i = 0; res == full && (i < 2 || more) && i < TRIES_MAX; i++) {
		more = room_make(device);
		res = backing_take(span, addr);
	}
	device->pressed--;
	return res;
}

int device_take(struct device *device, size_t span, bool pressed,
		uint64_t *addr)
{
	const CUresult full = CUDA_ERROR_OUT_OF_MEMORY;
	CUresult res;

	if (pressed ? !claim_pressed(device, span)
		    : !device_claim(device, span, limit_lower()))
		return full;
	res = pressed ? take_pressed(device, span, addr)
		      : (CUresult)backing_take(span, addr);
	if (device_check(device, (int)res)) {
		device_unclaim(device, span);
		return res;
	}
	counter_add(device, COUNTER_driver_allocs, 1);
	device_reserve(device, span);
	return res;
}
