#include <cuda.h>

#include "backing.h"
#include "capture.h"
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

/* The bytes that a claim is past the limit by. */
static size_t claim_lack(const struct device *device, size_t span, size_t limit)
{
	uint64_t claim = atomic_load(&device->claim);

	if (span > limit)
		return SIZE_MAX;
	return claim > limit - span ? claim - (limit - span) : 0;
}

/* Whether one more try may find room; the last has given back so many bytes. A
 * block may have been kept just before nothing is any more. */
static bool room_is_left(const struct device *device, int tries, size_t given)
{
	return tries < TRIES_MAX &&
	       (tries < 2 || given || counter_get(device, COUNTER_idle_bytes));
}

/* Tries claim after claim while there is room to make; twice at least. Only
 * the hard limit counts once there was nothing to give back. */
static bool claim_pressed(struct device *device, size_t span)
{
	size_t lower = limit_lower(device), hard = limit_hard(device);
	size_t given = 0;
	bool claimed = device_claim(device, span, lower);

	if (claimed)
		return true;
	device_press(device);
	for (int i = 0; !claimed && room_is_left(device, i, given); i++) {
		given = device_release(device, claim_lack(device, span, lower));
		claimed = device_claim(device, span, given ? lower : hard);
	}
	device_unpress(device);
	return claimed || device_claim(device, span, hard);
}

/* The bytes that the driver lacks for a request; 0: it has room, or that is in
 * pieces, or not known. */
static size_t driver_lack(const struct store *store, size_t span)
{
	struct device *device = store->device;
	size_t free;

	/* No document says that a capture bears the question. */
	if (device_is_host(device) || capture_any() ||
	    device_check(device, backing_free_bytes(&free)))
		return 0;
	return free < span ? span - free : 0;
}

/* The driver's memory, with as many tries; at last its own error. What goes
 * back is twice as much each time, as it may be too small, and in pieces. */
static int take_pressed(const struct store *store, size_t span, uint64_t *addr)
{
	const int full = CUDA_ERROR_OUT_OF_MEMORY;
	struct device *device = store->device;
	size_t lack, given = 0;
	int res = full;

	device_press(device);
	lack = driver_lack(store, span);
	for (int i = 0; res == full && room_is_left(device, i, given); i++) {
		given = lack ? device_release(device, lack) : 0;
		lack = lack > SIZE_MAX / 2 ? SIZE_MAX : lack ? 2 * lack : span;
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
