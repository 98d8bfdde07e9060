#include <cuda.h>

#include "cuda/backing.h"
#include "order/capture.h"
#include "context/context.h"
#include "order/fence.h"
#include "reclaim.h"
#include "limit.h"
#include "acquire.h"
#include "stats/counter.h"

static int take(const struct store *store, size_t span, uint64_t *addr)
{
	return device_is_host(store->device)
		       ? backing_take_host(span, store->flags, capture_any(),
					   addr)
		       : backing_take(span, capture_any(), addr);
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

/* What may be short is what a device and the host need of each other. A free of
 * pinned memory may wait for every device. */
static bool other_gives(const struct store *store)
{
	struct device *other = device_at(DEVICE_HOST);

	if (device_is_host(store->device))
		other = store->context->device;
	else if (device_count() > 1)
		return false;
	return counter_get(other, COUNTER_idle_bytes) &&
	       device_release(other, SIZE_MAX);
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
	for (int i = 0; res == full && device_may_give(device, i, given); i++) {
		given = lack ? device_release(device, lack) : 0;
		lack = lack > SIZE_MAX / 2 ? SIZE_MAX : lack ? 2 * lack : span;
		res = take(store, span, addr);
	}
	device_unpress(device);
	if (res == full && other_gives(store))
		res = take(store, span, addr);
	return res;
}

int store_take(struct store *store, size_t span, bool pressed, uint64_t *addr)
{
	struct device *device = store->device;
	int res;

	if (pressed ? !limit_claim_pressed(device, span, true)
		    : !limit_claim(device, span))
		return TAKE_LIMITED;
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
