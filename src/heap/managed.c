#include "managed.h"

#include <cuda.h>

#include "acquire.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "order/capture.h"
#include "stats/counter.h"

/* A device is the preferred place if it has room for one part in so many. */
enum { PLACE_SHARE = 2 };

/* Where it does not move by the page, it takes of what the device has, and
 * gains nothing. And no document says whether its calls may end a capture. */
bool managed_serves(const struct heap *heap)
{
	return !capture_any() &&
	       backing_is_managed_by_page(device_ordinal(heap->device));
}

/* Whether pages are to move to the device when it uses them. On one that is
 * full they would move back and forth without end (cuda.h, on this advice). On
 * one that has no room for a page, as what it has can't move, its work would
 * fail. */
bool managed_prefers_device(size_t bytes)
{
	size_t free;

	return !backing_free_bytes(&free) && free >= bytes / PLACE_SHARE;
}

struct order {
	const struct heap *heap;
	size_t span;
	uint64_t addr;
};

/* Two threads may pass the end together by a span, which does no harm. */
static bool device_has(struct device *device, size_t span)
{
	uint64_t reserved = counter_get(device, COUNTER_reserved_bytes);
	size_t total;

	return !backing_device_bytes(device_ordinal(device), &total) &&
	       span <= total && reserved <= total - span;
}

static int order_take(void *arg)
{
	struct order *order = arg;
	struct device *device = order->heap->device;

	if (!device_has(device, order->span))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return backing_alloc_managed(order->span, device_ordinal(device),
				     managed_prefers_device(order->span),
				     &order->addr);
}

int managed_alloc(struct heap *heap, size_t span, bool pressed, uint64_t *addr)
{
	struct order order = {.heap = heap, .span = span};
	int res = heap_take(heap, span, pressed, order_take, &order);

	if (res)
		return res;
	counter_add(heap->device, COUNTER_driver_allocs, 1);
	*addr = order.addr;
	return CUDA_SUCCESS;
}
