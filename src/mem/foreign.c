#define HASH_NONFATAL_OOM 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <uthash.h>

#include "config.h"
#include "context/context.h"
#include "cuda_pools.h"
#include "cuda/backing.h"
#include "heap/limit.h"
#include "heap/mempool.h"
#include "refusal.h"
#include "preload/serving.h"
#include "mem.h"
#include "foreign.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"

struct foreign_name {
	uint64_t handle;
	uint64_t key; /* enum foreign_key */
};

struct foreign {
	struct foreign_name name; /* the hash's key */
	enum foreign_kind kind;
	struct device *device;
	const struct context *context; /* NULL if it outlives contexts */
	size_t bytes;
	unsigned int uses;    /* handles and mappings of physical memory */
	unsigned int mempool; /* of CUDA's, that mnm serves as well; or 0 */
	bool gone;            /* not in the table any more */
	UT_hash_handle hh;
};

/* A range of addresses at which physical memory is mapped. */
struct mapping {
	uint64_t addr; /* the key */
	struct foreign *foreign;
	struct mapping *next; /* of those that are being unmapped */
	UT_hash_handle hh;
};

static const enum counter counters[] = {
	[FOREIGN_MANAGED] = COUNTER_managed_bytes,
	[FOREIGN_PITCHED] = COUNTER_pitched_bytes,
	[FOREIGN_ASYNC] = COUNTER_async_bytes,
	[FOREIGN_ARRAYS] = COUNTER_array_bytes,
	[FOREIGN_VIRTUAL] = COUNTER_virtual_bytes,
	[FOREIGN_IMPORTED] = COUNTER_imported_bytes,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under lock. */
static struct foreign *table;
static struct mapping *mappings;
static _Atomic unsigned int count;

/* Under lock. */
static struct foreign *foreign_find(enum foreign_key key, uint64_t handle)
{
	struct foreign_name name = {handle, (uint64_t)key};
	struct foreign *foreign;

	/* NOLINTNEXTLINE(*-core.*): uthash sets foreign */
	HASH_FIND(hh, table, &name, sizeof(name), foreign);
	return foreign;
}

/* Claim the bytes of the memory from its device, less those that were claimed
 * before; and drop that claim. Memory of others is not claimed here. */
static void foreign_claim_bytes(const struct foreign *foreign, size_t claimed)
{
	if (foreign->kind != FOREIGN_IMPORTED)
		device_claim_unpooled(foreign->device,
				      (int64_t)(foreign->bytes - claimed));
}

static void foreign_unclaim(const struct foreign *foreign)
{
	if (foreign->kind != FOREIGN_IMPORTED)
		device_claim_unpooled(foreign->device,
				      -(int64_t)foreign->bytes);
}

/* Under lock. Its bytes are claimed. */
static void foreign_enter(struct foreign *foreign)
{
	HASH_ADD(hh, table, name, sizeof(foreign->name), foreign);
	if (!foreign->hh.tbl) {
		foreign_unclaim(foreign);
		free(foreign);
		return;
	}
	foreign->device->used = true;
	counter_add(foreign->device, counters[foreign->kind], foreign->bytes);
	if (foreign->mempool)
		mempool_count_beside(foreign->mempool, (int64_t)foreign->bytes);
	count++;
}

/* Under lock. */
static void foreign_leave(struct foreign *foreign)
{
	HASH_DEL(table, foreign);
	counter_sub(foreign->device, counters[foreign->kind], foreign->bytes);
	if (foreign->mempool)
		mempool_count_beside(foreign->mempool,
				     -(int64_t)foreign->bytes);
	count--;
}

/* Under lock. */
static void foreign_end_one(struct foreign *foreign)
{
	foreign_leave(foreign);
	foreign_unclaim(foreign);
	foreign->gone = true;
	if (foreign->name.key != FOREIGN_PHYSICAL || !foreign->uses)
		free(foreign);
}

static bool foreign_add(const struct foreign *model, size_t claimed)
{
	struct foreign *foreign = malloc(sizeof(*foreign)), *stale;

	if (!foreign) {
		device_claim_unpooled(model->device, -(int64_t)claimed);
		return false;
	}
	serving_guard_fork();
	*foreign = *model;
	foreign_claim_bytes(foreign, claimed);
	pthread_mutex_lock(&lock);
	stale = foreign_find((enum foreign_key)model->name.key,
			     model->name.handle);
	if (stale) /* its end is still to be noted, or came unseen */
		foreign_end_one(stale);
	foreign_enter(foreign);
	pthread_mutex_unlock(&lock);
	return true;
}

bool foreign_claim(struct foreign_claim *order, int ordinal, size_t bytes)
{
	bool known = ordinal >= 0 && ordinal < DEVICE_ALL;

	*order = (struct foreign_claim){0};
	if (!config_once())
		return true;
	order->context = context_current();
	if (known)
		order->device = device_at(ordinal);
	else if (order->context)
		order->device = order->context->device;
	if (order->device && order->device->lost)
		order->device = NULL;
	if (!order->device)
		return true;
	order->bytes = bytes;
	if (limit_claim_pressed(order->device, bytes, false))
		return true;
	counter_add(order->device, COUNTER_failures, 1);
	refusal_say(order->device, bytes, true);
	return false;
}

void foreign_cancel(const struct foreign_claim *order)
{
	if (order->device)
		device_claim_unpooled(order->device, -(int64_t)order->bytes);
}

bool foreign_got(const struct foreign_claim *order, enum foreign_kind kind,
		 enum foreign_key key, uint64_t handle, size_t bytes)
{
	bool apart = key == FOREIGN_PHYSICAL || key == FOREIGN_POOL;
	bool of_pool = kind == FOREIGN_ASYNC && key == FOREIGN_ADDRESS;
	unsigned int mempool = 0;
	bool counted;

	if (!order->device || (!apart && !order->context)) {
		foreign_cancel(order);
		return false;
	}
	if (of_pool && mempools_are_used())
		mempool = mempool_find(backing_mempool_of(handle));
	counted = foreign_add(
		&(struct foreign){.name = {handle, (uint64_t)key},
				  .kind = kind,
				  .device = order->device,
				  .context = apart ? NULL : order->context,
				  .bytes = bytes,
				  .mempool = mempool,
				  .uses = 1},
		order->bytes);
	if (of_pool) {
		cuda_pools_served(order->device, bytes);
		mem_streams_passed();
	}
	return counted;
}

bool foreign_add_import(enum foreign_key key, uint64_t handle, int ordinal,
			size_t bytes)
{
	bool known = ordinal >= 0 && ordinal < DEVICE_ALL;
	const struct context *context =
		config_once() ? context_current() : NULL;

	return context &&
	       foreign_add(
		       &(struct foreign){.name = {handle, (uint64_t)key},
					 .kind = FOREIGN_IMPORTED,
					 .device = known ? device_at(ordinal)
							 : context->device,
					 .context = context,
					 .bytes = bytes,
					 .uses = 1},
		       0);
}

int foreign_device(enum foreign_key key, uint64_t handle)
{
	const struct foreign *foreign;
	int ordinal;

	if (!count)
		return -1;
	pthread_mutex_lock(&lock);
	foreign = foreign_find(key, handle);
	ordinal = foreign ? device_ordinal(foreign->device) : -1;
	pthread_mutex_unlock(&lock);
	return ordinal;
}

struct foreign *foreign_end_begin(enum foreign_key key, uint64_t handle)
{
	struct foreign *foreign;

	if (!count || !mem_enabled())
		return NULL;
	pthread_mutex_lock(&lock);
	foreign = foreign_find(key, handle);
	if (foreign)
		foreign_leave(foreign);
	pthread_mutex_unlock(&lock);
	return foreign;
}

void foreign_end_finish(struct foreign *foreign, int failed)
{
	if (!foreign)
		return;
	if (!failed && foreign->kind == FOREIGN_ASYNC)
		cuda_pools_freed(foreign->device);
	pthread_mutex_lock(&lock);
	if (!failed || foreign_find((enum foreign_key)foreign->name.key,
				    foreign->name.handle)) {
		foreign_unclaim(foreign);
		free(foreign);
	} else {
		foreign_enter(foreign);
	}
	pthread_mutex_unlock(&lock);
}

struct foreign *foreign_grab(uint64_t handle)
{
	struct foreign *foreign;

	if (!count || !mem_enabled())
		return NULL;
	pthread_mutex_lock(&lock);
	foreign = foreign_find(FOREIGN_PHYSICAL, handle);
	if (foreign)
		foreign->uses++;
	pthread_mutex_unlock(&lock);
	return foreign;
}

/* Under lock. */
static void foreign_drop_uses(struct foreign *foreign, unsigned int uses)
{
	foreign->uses -= uses < foreign->uses ? uses : foreign->uses;
	if (foreign->uses)
		return;
	if (foreign->gone)
		free(foreign);
	else
		foreign_end_one(foreign);
}

void foreign_drop(struct foreign *foreign, unsigned int uses)
{
	if (!foreign)
		return;
	pthread_mutex_lock(&lock);
	foreign_drop_uses(foreign, uses);
	pthread_mutex_unlock(&lock);
}

/* Under lock. */
static void mapping_enter(struct mapping *mapping)
{
	HASH_ADD(hh, mappings, addr, sizeof(mapping->addr), mapping);
	if (mapping->hh.tbl)
		return;
	foreign_drop_uses(mapping->foreign, 1);
	free(mapping);
}

void foreign_map(uint64_t handle, uint64_t addr)
{
	struct mapping *mapping = calloc(1, sizeof(*mapping));
	struct foreign *foreign = mapping ? foreign_grab(handle) : NULL;

	if (!foreign) {
		free(mapping);
		return;
	}
	mapping->addr = addr;
	mapping->foreign = foreign;
	pthread_mutex_lock(&lock);
	mapping_enter(mapping);
	pthread_mutex_unlock(&lock);
}

struct mapping *foreign_unmap_begin(uint64_t addr, size_t size)
{
	struct mapping *mapping, *next, *list = NULL;

	if (!count || !mem_enabled())
		return NULL;
	pthread_mutex_lock(&lock);
	HASH_ITER (hh, mappings, mapping, next) {
		if (mapping->addr < addr || mapping->addr - addr >= size)
			continue;
		HASH_DEL(mappings, mapping);
		mapping->next = list;
		list = mapping;
	}
	pthread_mutex_unlock(&lock);
	return list;
}

void foreign_unmap_finish(struct mapping *list, int failed)
{
	struct mapping *mapping;

	if (!list)
		return;
	pthread_mutex_lock(&lock);
	while ((mapping = list)) {
		list = mapping->next;
		if (failed) {
			mapping_enter(mapping);
			continue;
		}
		foreign_drop_uses(mapping->foreign, 1);
		free(mapping);
	}
	pthread_mutex_unlock(&lock);
}

void foreign_forget(const struct context *context)
{
	struct foreign *foreign, *next;

	if (!count)
		return;
	pthread_mutex_lock(&lock);
	HASH_ITER (hh, table, foreign, next)
		if (foreign->context == context)
			foreign_end_one(foreign);
	pthread_mutex_unlock(&lock);
}
