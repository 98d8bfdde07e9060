#include <stdatomic.h>

#include <cuda.h>

#include "context/context.h"
#include "epoch.h"
#include "fence.h"
#include "fence_fail.h"
#include "fence_make.h"
#include "marks.h"
#include "seal.h"
#include "stats/counter.h"

static struct seal {
	_Atomic bool asking; /* a thread uses this; others don't wait */
	_Atomic bool on;
	uint64_t epoch; /* that the marks stand behind */
	struct marks marks;
} seals[DEVICE_MAX];

static struct seal *seal_of(const struct device *device)
{
	return &seals[device_ordinal(device)];
}

bool seal_is_on(const struct device *device)
{
	return seal_of(device)->on;
}

/* The epoch ends first: a context that comes later, and then frees, is in the
 * next one. */
static int seal_set(struct seal *seal, struct device *device)
{
	uint64_t bytes;
	int res;

	seal->epoch = epoch_end(device, &bytes);
	res = marks_set(&seal->marks, device);
	seal->on = !res;
	if (res)
		counter_add(device, COUNTER_quarantined_bytes, bytes);
	return res;
}

bool seal_ready(struct device *device)
{
	struct seal *seal = seal_of(device);
	int res = CUDA_SUCCESS;
	bool ready;

	if (atomic_exchange(&seal->asking, true))
		return false;
	if (!seal->on)
		res = seal_set(seal, device);
	if (!res)
		res = marks_ask(&seal->marks);
	ready = !fence_failed(device, res);
	if (ready) {
		epoch_over(device, seal->epoch);
		counter_add(device, COUNTER_fences, 1);
		fence_pay(device, 1);
	}
	if (res != FENCE_NOT_NOW) {
		marks_drop(&seal->marks);
		seal->on = false;
	}
	atomic_store(&seal->asking, false);
	return ready;
}
