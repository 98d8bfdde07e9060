#include <limits.h>
#include <stdatomic.h>

#include <cuda.h>

#include "cuda/backing.h"
#include "gate/gate.h"
#include "context/context.h"
#include "fence.h"
#include "fence_fail.h"
#include "fence_make.h"
#include "common/log.h"

enum {
	FAILURES_MAX = 8, /* in a row, of failures that may pass */
	/* Waits until the next try: twice as many each time. */
	WAITS_LEAST = 8,
	WAITS_MOST = 1024,
};

/* Whether the next fence may be tried at once: there was no memory for an
 * event, a capture or a callback forbade it, or a context has gone and we have
 * not been told yet. */
static bool may_pass(int res)
{
	return backing_is_refused(res) || res == CUDA_ERROR_INVALID_CONTEXT ||
	       res == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* How many waits until the next try: for ever on a driver that has no
 * fences. */
static unsigned int waits_after(const struct device *device, int res)
{
	unsigned int before = atomic_load(&device->patience);

	if (res == CUDA_ERROR_NOT_SUPPORTED || res == CUDA_ERROR_NOT_FOUND)
		return UINT_MAX;
	if (!before)
		return WAITS_LEAST;
	return before < WAITS_MOST ? 2 * before : WAITS_MOST;
}

static void fence_unfence(struct device *device, int res)
{
	unsigned int waits = waits_after(device, res);

	atomic_store(&device->unfenced, waits);
	if (!atomic_exchange(&device->patience, waits))
		log_warn("device %d: a fence failed with error %d: frees wait "
			 "instead",
			 device_ordinal(device), res);
}

bool fence_failed(struct device *device, int res)
{
	unsigned int failures;

	if (res == FENCE_NOT_NOW)
		return true;
	if (!res) {
		atomic_store(&device->failures, 0);
		if (atomic_load(&device->patience))
			atomic_store(&device->patience, WAITS_LEAST);
		return false;
	}
	failures = atomic_fetch_add(&device->failures, 1) + 1;
	if (may_pass(res) && failures < FAILURES_MAX)
		return true;
	if (!backing_is_lost(res))
		fence_unfence(device, res);
	gate_recompute(device);
	device_check(device, res);
	return true;
}

void fence_waited(struct device *device)
{
	unsigned int left = atomic_load(&device->unfenced);

	while (left && left != UINT_MAX &&
	       !atomic_compare_exchange_weak(&device->unfenced, &left,
					     left - 1))
		;
	if (left == 1)
		gate_recompute(device);
}
