#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>

#include "common/log.h"
#include "context/context.h"
#include "cuda/backing.h"
#include "mempool.h"
#include "mempool_share.h"
#include "order/fence.h"
#include "region_driver.h"
#include "stats/mempool_stats.h"

static _Atomic bool any_shared;

/* Recursive for a tool's calls within the driver's. */
static pthread_mutex_t connecting = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static uint64_t bit_of(const struct device *device)
{
	return (uint64_t)1 << device_ordinal(device);
}

/* Returns a CUresult. */
static int peer_enable(const struct context *peer, struct context *owner)
{
	int res = backing_enable_peer(peer->handle, owner->handle), shown;

	if (res && res != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
		return res;
	shown = regions_allow(owner, device_ordinal(peer->device));
	if (shown && !res)
		backing_disable_peer(peer->handle, owner->handle);
	return shown;
}

/* The bit comes first: a call of the program's that the driver refuses from now
 * on, as access is enabled, succeeds. Under `connecting`. */
static bool connect_locked(struct context *peer, struct context *owner)
{
	uint64_t bit = bit_of(owner->device);
	int res;

	if (atomic_fetch_or(&peer->peer_own, bit) & bit)
		return true;
	peer_admit(owner->device, peer);
	res = peer_enable(peer, owner);
	if (!res)
		return true;
	atomic_fetch_and(&peer->peer_own, ~bit);
	log_warn("device %d: a context can't reach memory of device %d: error "
		 "%d; CUDA serves the pool",
		 device_ordinal(peer->device), device_ordinal(owner->device),
		 res);
	return false;
}

/* Who finds that a context is connected finds that it is done. */
static bool context_connect(struct context *peer, struct context *owner)
{
	bool connected;

	pthread_mutex_lock(&connecting);
	connected = connect_locked(peer, owner);
	pthread_mutex_unlock(&connecting);
	return connected;
}

bool mempool_is_reached(unsigned int number)
{
	uint64_t shared = mempool_shared(number);
	struct device *device;
	struct context *owner;
	struct context_walk walk = {0};
	struct context *peer;
	bool reached = true;

	if (!shared)
		return true;
	device = mempool_device(number);
	owner = context_primary(device_ordinal(device));
	if (!owner)
		return true; /* nothing was served so far */
	while ((peer = context_next_using(&walk, NULL)))
		if (shared & bit_of(peer->device))
			reached &= context_connect(peer, owner);
	if (!reached)
		mempool_withdraw(number);
	return reached;
}

bool mempool_share(unsigned int number, int ordinal)
{
	atomic_store(&any_shared, true);
	mempool_shared_add(number, (uint64_t)1 << ordinal);
	return mempool_is_reached(number);
}

void mempool_share_joined(struct context *context)
{
	if (!atomic_load(&any_shared))
		return;
	for (unsigned int i = 1; i < MEMPOOLS; i++)
		if (mempool_shared(i) & bit_of(context->device))
			mempool_is_reached(i);
}

/* Access ends with either context. */
void mempool_share_ended(const struct context *context)
{
	struct context_walk walk = {0};
	struct context *peer;

	if (context->kind != CONTEXT_PRIMARY)
		return;
	while ((peer = context_next_using(&walk, NULL))) {
		atomic_fetch_and(&peer->peer_own, ~bit_of(context->device));
		atomic_fetch_and(&peer->peer_asked, ~bit_of(context->device));
	}
}

bool peer_asked(struct context *context, const struct context *owner,
		bool enabled)
{
	uint64_t bit = bit_of(owner->device);

	if (owner->kind != CONTEXT_PRIMARY ||
	    (enabled && !(atomic_load(&context->peer_own) & bit)))
		return false;
	return !(atomic_fetch_or(&context->peer_asked, bit) & bit) && enabled;
}

bool peer_returned(struct context *context, const struct context *owner,
		   bool *was)
{
	uint64_t bit = bit_of(owner->device);

	if (owner->kind != CONTEXT_PRIMARY)
		return false;
	*was = atomic_fetch_and(&context->peer_asked, ~bit) & bit;
	return atomic_load(&context->peer_own) & bit;
}
