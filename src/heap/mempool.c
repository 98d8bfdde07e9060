#include <pthread.h>
#include <stdatomic.h>

#include "cuda/backing.h"
#include "gate/gate.h"
#include "context/context.h"
#include "mempool.h"
#include "order/streams.h"
#include "pools/pool.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

/* Under lock; by numbers. */
static struct mempool {
	struct CUmemPoolHandle_st *handle; /* NULL: nobody's so far */
	bool destroyed;                    /* the handle is nobody's any more */
	struct device *_Atomic device;
	_Atomic bool withdrawn; /* new requests are CUDA's */
	_Atomic bool forbids[REUSES];
	_Atomic uint64_t shared; /* devices with access to it, a bit each */
	_Atomic size_t limit;    /* bytes, or 0 */
	_Atomic size_t admitted; /* bytes of requests that are under way */
	_Atomic bool passed;     /* CUDA serves requests of it as well */
	_Atomic uint64_t keeps;  /* bytes, the release threshold */
	_Atomic bool kept_set;   /* the program has set it */
} mempools[MEMPOOLS];

static _Atomic bool any_limited;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned int selections; /* under lock: of current pools, so far */

/* By devices: the number of the current pool, and one more; 0: not known. */
static _Atomic unsigned int currents[DEVICE_MAX];

/* Under lock. */
static unsigned int number_of(const struct CUmemPoolHandle_st *handle)
{
	for (unsigned int i = 1; handle && i < MEMPOOLS; i++)
		if (mempools[i].handle == handle && !mempools[i].destroyed)
			return i;
	return 0;
}

struct device *mempool_device(unsigned int number)
{
	return mempools[number].device;
}

struct CUmemPoolHandle_st *mempool_handle(unsigned int number)
{
	struct CUmemPoolHandle_st *handle;

	pthread_mutex_lock(&lock);
	handle = mempools[number].handle;
	pthread_mutex_unlock(&lock);
	return handle;
}

/* Under lock. Whether a pool of the device may have the number: the program has
 * no memory of it, and no request of it is under way. Idle blocks that have it
 * count as returned, and are of that device. */
static bool number_is_free(unsigned int number, const struct device *device)
{
	const struct mempool *pool = &mempools[number];

	if (!pool->handle)
		return true;
	return pool->destroyed && !atomic_load(&pool->admitted) &&
	       !mempool_is_beside(number) &&
	       (!mempool_has_blocks(number) ||
		(pool->device == device && !mempool_figures(number).used));
}

/* Under lock. */
static unsigned int number_give(struct CUmemPoolHandle_st *pool,
				struct device *device)
{
	unsigned int number = 1;

	while (number < MEMPOOLS && !number_is_free(number, device))
		number++;
	if (number == MEMPOOLS)
		return 0;
	mempool_stats_open(number);
	mempools[number].handle = pool;
	mempools[number].destroyed = false;
	mempools[number].device = device;
	mempools[number].withdrawn = false;
	mempools[number].shared = 0;
	mempools[number].limit = 0;
	mempools[number].passed = false;
	mempools[number].keeps = 0;
	mempools[number].kept_set = false;
	for (int i = 0; i < REUSES; i++)
		mempools[number].forbids[i] = false;
	return number;
}

void mempool_made(struct CUmemPoolHandle_st *pool, struct device *device,
		  size_t limit)
{
	unsigned int number;

	pthread_mutex_lock(&lock);
	number = number_of(pool) ? 0 : number_give(pool, device);
	if (number && limit) {
		mempools[number].limit = limit;
		mempool_stats_limit(number, limit);
		atomic_store(&any_limited, true);
	}
	pthread_mutex_unlock(&lock);
}

bool mempools_are_limited(void)
{
	return atomic_load(&any_limited);
}

void mempool_passed(unsigned int number)
{
	atomic_store(&mempools[number].passed, true);
}

bool mempool_is_limited(unsigned int number)
{
	return mempools[number].limit;
}

/* Bytes that the program has of the pool. */
static uint64_t bytes_had(unsigned int number)
{
	const struct mempool *pool = &mempools[number];
	uint64_t bytes = mempool_figures(number).used;

	return atomic_load(&pool->passed)
		       ? bytes + backing_mempool_used(pool->handle)
		       : bytes;
}

bool mempool_admits(unsigned int number, size_t bytes)
{
	struct mempool *pool = &mempools[number];
	size_t past = atomic_fetch_add(&pool->admitted, bytes) + bytes;
	size_t limit = pool->limit; /* not before the number is held */

	if (!limit || (bytes <= limit && bytes_had(number) + past <= limit))
		return true;
	mempool_admitted(number, bytes);
	return false;
}

void mempool_admitted(unsigned int number, size_t bytes)
{
	atomic_fetch_sub(&mempools[number].admitted, bytes);
}

uint64_t mempool_shared(unsigned int number)
{
	return atomic_load(&mempools[number].shared);
}

void mempool_shared_add(unsigned int number, uint64_t devices)
{
	atomic_fetch_or(&mempools[number].shared, devices);
}

unsigned int mempool_find(const struct CUmemPoolHandle_st *pool)
{
	unsigned int number;

	pthread_mutex_lock(&lock);
	number = number_of(pool);
	pthread_mutex_unlock(&lock);
	return number;
}

void mempool_reuse_set(unsigned int number, enum mempool_reuse reuse,
		       bool allowed)
{
	if (atomic_exchange(&mempools[number].forbids[reuse], !allowed) ==
	    allowed)
		mempools_changed();
}

bool mempool_follows_events(unsigned int number)
{
	return !atomic_load(&mempools[number].forbids[REUSE_BY_EVENTS]);
}

bool mempool_reuses_all(unsigned int number)
{
	return !atomic_load(&mempools[number].forbids[REUSE_BY_CHANCE]) &&
	       !atomic_load(&mempools[number].forbids[REUSE_BY_WAITS]);
}

void mempool_keep_set(unsigned int number, uint64_t bytes)
{
	atomic_store(&mempools[number].keeps, bytes);
	atomic_store(&mempools[number].kept_set, true);
}

/* Also of a pool that was destroyed, as long as there is memory of it. */
static bool is_of(unsigned int number, const struct device *device)
{
	return atomic_load(&mempools[number].device) == device;
}

size_t mempools_return(const struct device *device)
{
	size_t bytes = 0, past;

	for (unsigned int i = 1; i < MEMPOOLS; i++) {
		if (!is_of(i, device))
			continue;
		past = mempool_return(i, atomic_load(&mempools[i].keeps));
		if (atomic_load(&mempools[i].kept_set))
			bytes += past;
	}
	return bytes;
}

size_t mempool_trim(unsigned int number, size_t keep)
{
	const struct device *device = mempool_device(number);
	size_t used = mempool_figures(number).used, idle;

	if (!pool_ops_at(device->choice)->place)
		return mempool_return(number, keep);
	idle = counter_get(device, COUNTER_idle_bytes);
	keep = keep > used ? keep - used : 0;
	return idle > keep ? idle - keep : 0;
}

size_t mempools_idle(const struct device *device)
{
	struct mempool_figures figures;
	size_t bytes = 0;

	for (unsigned int i = 1; i < MEMPOOLS; i++) {
		if (!is_of(i, device))
			continue;
		figures = mempool_figures(i);
		bytes += figures.reserved - figures.used;
	}
	return bytes;
}

void mempools_changed(void)
{
	atomic_fetch_add(&stream_changes, 1);
	gate_pass();
}

void mempools_selected(void)
{
	pthread_mutex_lock(&lock);
	selections++;
	for (int i = 0; i < DEVICE_MAX; i++)
		atomic_store(&currents[i], 0);
	pthread_mutex_unlock(&lock);
	mempools_changed();
}

void mempool_destroyed(struct CUmemPoolHandle_st *pool)
{
	unsigned int number;

	number = mempool_find(pool);
	if (!number)
		return;
	mempools_selected(); /* it may have been a current one */
	pthread_mutex_lock(&lock);
	mempools[number].destroyed = true;
	mempools[number].keeps = 0;
	mempools[number].kept_set = false;
	pthread_mutex_unlock(&lock);
}

void mempool_withdraw(unsigned int number)
{
	atomic_store(&mempools[number].withdrawn, true);
	mempools_selected();
}

/* Under lock. The number by which the pool is served on that device. A device's
 * default pool gets one when it is first asked for. */
static unsigned int number_served(struct CUmemPoolHandle_st *pool,
				  struct device *device, bool is_default)
{
	unsigned int number = number_of(pool);

	if (!number && is_default)
		number = number_give(pool, device);
	return number && mempools[number].device == device &&
			       !mempools[number].withdrawn
		       ? number
		       : 0;
}

/* What the program has said of the pool before it had a number. */
static void rules_learn(unsigned int number)
{
	struct CUmemPoolHandle_st *pool =
		number ? mempool_handle(number) : NULL;
	bool allowed[REUSES];
	uint64_t keeps;

	if (!pool)
		return;
	keeps = backing_mempool_threshold(pool);
	if (keeps)
		mempool_keep_set(number, keeps);
	backing_mempool_reuse(pool, allowed);
	for (int i = 0; i < REUSES; i++)
		mempool_reuse_set(number, (enum mempool_reuse)i, allowed[i]);
}

unsigned int mempool_number(struct CUmemPoolHandle_st *pool,
			    struct device *device)
{
	struct CUmemPoolHandle_st *current, *standard = NULL;
	unsigned int number;

	if (!mempool_find(pool) &&
	    backing_mempool(device_ordinal(device), &current, &standard))
		return 0;
	pthread_mutex_lock(&lock);
	number = number_served(pool, device, pool == standard);
	pthread_mutex_unlock(&lock);
	if (pool == standard)
		rules_learn(number);
	return number;
}

/* The driver is asked without the lock, so the program may have chosen another
 * pool meanwhile: then the answer is not kept. */
unsigned int mempool_current(struct device *device)
{
	_Atomic unsigned int *known = &currents[device_ordinal(device)];
	struct CUmemPoolHandle_st *current, *standard;
	unsigned int number = atomic_load(known), seen;

	if (number)
		return number - 1;
	pthread_mutex_lock(&lock);
	seen = selections;
	pthread_mutex_unlock(&lock);
	if (backing_mempool(device_ordinal(device), &current, &standard))
		return 0;
	pthread_mutex_lock(&lock);
	number = number_served(current, device, current == standard);
	pthread_mutex_unlock(&lock);
	rules_learn(number);
	pthread_mutex_lock(&lock);
	if (seen == selections)
		atomic_store(known, number + 1);
	pthread_mutex_unlock(&lock);
	return number;
}

bool mempool_is_current(unsigned int number)
{
	return mempool_current(mempools[number].device) == number;
}
