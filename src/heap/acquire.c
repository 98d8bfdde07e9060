#include <cuda.h>

#include "cuda/backing.h"
#include "order/capture.h"
#include "context/context.h"
#include "order/fence.h"
#include "owed.h"
#include "reclaim.h"
#include "limit.h"
#include "acquire.h"
#include "stats/counter.h"

/* Whether the driver is to be asked in a mode that spares captures. CUDA allows
 * requests for stream-ordered memory beside captures of other threads, and one
 * may begin at any moment. So such a request always asks in that mode. */
static bool spares_captures(void)
{
	return capture_any() || waits_are_forbidden();
}

/* An allocation of the driver's. */
struct whole {
	const struct heap *heap;
	size_t span;
	uint64_t addr;
};

static int whole_take(void *arg)
{
	struct whole *whole = arg;
	const struct heap *heap = whole->heap;

	return device_is_host(heap->device)
		       ? backing_alloc_host(whole->span, heap->flags,
					    capture_any(), &whole->addr)
		       : backing_alloc(whole->span, spares_captures(),
				       &whole->addr);
}

/* The bytes that the driver lacks for a request; 0 if it has enough, maybe in
 * pieces, or if that is not known. */
static size_t driver_lack(const struct heap *heap, size_t span)
{
	struct device *device = heap->device;
	size_t free;

	/* No document says that a capture allows this question. */
	if (device_is_host(device) || capture_any() ||
	    device_check(device, backing_free_bytes(&free)))
		return 0;
	return free < span ? span - free : 0;
}

/* Gives back what is idle on the host for a device, or on the device for the
 * host: what is short may be what one needs of the other. A free of pinned
 * memory may wait for every device, so there has to be only one. */
static bool other_gives(const struct heap *heap)
{
	struct device *other = device_at(DEVICE_HOST);

	if (device_is_host(heap->device))
		other = heap->context->device;
	else if (device_count() > 1)
		return false;
	return counter_get(other, COUNTER_idle_bytes) &&
	       reclaim_now(other, SIZE_MAX);
}

/* Tries several times; at last returns the driver's own error. Each time twice
 * as much is given back: blocks that went back may be too small, and apart from
 * each other. */
static int take_pressed(const struct heap *heap, size_t span,
			int (*take)(void *arg), void *arg)
{
	const int full = CUDA_ERROR_OUT_OF_MEMORY;
	struct device *device = heap->device;
	size_t lack, given = 0;
	int res = full;

	pressure_begin(device);
	lack = driver_lack(heap, span);
	for (int i = 0; res == full && reclaim_may_help(device, i, given);
	     i++) {
		given = lack ? reclaim_now(device, lack) : 0;
		lack = lack > SIZE_MAX / 2 ? SIZE_MAX : lack ? 2 * lack : span;
		res = take(arg);
	}
	pressure_end(device);
	if (res == full && other_gives(heap))
		res = take(arg);
	return res;
}

int heap_take(struct heap *heap, size_t span, bool pressed,
	      int (*take)(void *arg), void *arg)
{
	struct device *device = heap->device;
	int res;

	if (pressed ? !limit_claim_pressed(device, span, true)
		    : !limit_claim(device, span))
		return TAKE_LIMITED;
	res = pressed ? take_pressed(heap, span, take, arg) : take(arg);
	if (device_check(heap->context->device, res)) {
		device_unclaim(device, span);
		return res;
	}
	device_reserve(device, span);
	return CUDA_SUCCESS;
}

int heap_alloc(struct heap *heap, size_t span, bool pressed, uint64_t *addr)
{
	struct whole whole = {.heap = heap, .span = span};
	int res = heap_take(heap, span, pressed, whole_take, &whole);

	if (res)
		return res;
	counter_add(heap->device, COUNTER_driver_allocs, 1);
	*addr = whole.addr;
	return CUDA_SUCCESS;
}

int heap_free(const struct heap *heap, uint64_t addr)
{
	struct CUctx_st *context = heap->context->handle;

	return device_is_host(heap->device) ? backing_free_host(context, addr)
					    : backing_free(context, addr);
}

bool device_can_hold(const struct device *device, size_t bytes)
{
	size_t total;

	return device_is_host(device) ||
	       backing_device_bytes(device_ordinal(device), &total) ||
	       bytes <= total;
}
