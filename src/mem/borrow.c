#include "borrow.h"

#include <pthread.h>
#include <stdatomic.h>

#include <cuda.h>

#include "common/log.h"
#include "common/option.h"
#include "common/text.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "foreign.h"
#include "heap/limit.h"
#include "heap/managed.h"
#include "order/capture.h"
#include "order/fence.h"
#include "order/pinned_order.h"
#include "stats/counter.h"

/* One part in so many of the machine's memory, as much as Linux lets a file
 * system in memory have (mount option size of tmpfs). */
enum { AUTO_SHARE = 2 };

static _Atomic size_t limit;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t asked[DEVICE_MAX]; /* of CUDA, by calls under way; under lock */

void borrow_limit_set(size_t bytes)
{
	atomic_store(&limit, bytes);
}

/* Under lock. What a device has borrowed, or is about to. While a call ends, it
 * counts twice. */
static uint64_t borrowed_of(int ordinal)
{
	return asked[ordinal] +
	       counter_get(device_at(ordinal), COUNTER_borrowed_bytes);
}

static uint64_t borrowed_of_all(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < DEVICE_MAX; i++)
		if (device_at(i)->used)
			sum += borrowed_of(i);
	return sum;
}

/* Under lock. */
static bool is_within(int ordinal, size_t size)
{
	size_t most = atomic_load(&limit);
	bool share = most == SIZE_AUTO;
	uint64_t now = share ? borrowed_of_all() : borrowed_of(ordinal);

	if (share)
		most = host_bytes() / AUTO_SHARE;
	return size <= most && now <= most - size;
}

/* Returns false if the device may not borrow so much. */
static bool asked_begin(int ordinal, size_t size)
{
	bool allowed;

	pthread_mutex_lock(&lock);
	allowed = is_within(ordinal, size);
	if (allowed)
		asked[ordinal] += size;
	pthread_mutex_unlock(&lock);
	return allowed;
}

static void asked_end(int ordinal, size_t size)
{
	pthread_mutex_lock(&lock);
	asked[ordinal] -= size;
	pthread_mutex_unlock(&lock);
}

static void give_back(const struct context *context, enum foreign_kind kind,
		      uint64_t addr)
{
	if (kind == FOREIGN_BORROWED)
		backing_free(context->handle, addr);
	else
		backing_free_host(context->handle, addr);
}

/* What can't be counted goes back, as its free could not be told from
 * another. */
static bool borrow_claimed(const struct foreign_claim *order, uint64_t *addr)
{
	int ordinal = device_ordinal(order->device), res;
	enum foreign_kind kind = FOREIGN_BORROWED_PINNED;

	if (backing_is_managed_by_page(ordinal)) {
		kind = FOREIGN_BORROWED;
		res = backing_alloc_managed(
			order->bytes, ordinal,
			managed_prefers_device(order->bytes), addr);
	} else {
		res = backing_alloc_mapped(order->bytes, addr);
	}
	if (device_check(order->device, res)) {
		foreign_cancel(order);
		return false;
	}
	if (foreign_got(order, kind, FOREIGN_ADDRESS, *addr, order->bytes))
		return true;
	give_back(order->context, kind, *addr);
	return false;
}

static void borrow_say(const struct device *device, size_t size)
{
	static _Atomic bool said[DEVICE_MAX];
	char text[TEXT_BYTES_SIZE];
	int ordinal = device_ordinal(device);

	if (!atomic_exchange(&said[ordinal], true))
		log_warn("device %d is full: %s of the host's memory serve a "
			 "request, and more may (oversubscribe); the device "
			 "uses it over the bus, which is slow",
			 ordinal, text_bytes((int64_t)size, text));
}

/* A request that is served in a capture must not end it, and no document says
 * whether these calls may. */
bool borrow(struct context *context, size_t size, uint64_t *addr)
{
	struct device *device = context->device;
	struct foreign_claim order = {device, context, size};
	int ordinal = device_ordinal(device);
	bool done;

	if (capture_any() || !asked_begin(ordinal, size))
		return false;
	done = limit_claim_pressed(device, size, false) &&
	       borrow_claimed(&order, addr);
	asked_end(ordinal, size);
	if (!done)
		return false;
	counter_add(device, COUNTER_borrows, 1);
	borrow_say(device, size);
	return true;
}

void borrow_not_passed(uint64_t addr)
{
	static _Atomic bool said;

	if (foreign_is_borrowed(addr) && !atomic_exchange(&said, true))
		log_warn("oversubscribe: memory of the host that serves a full "
			 "device can't be passed to other processes");
}
