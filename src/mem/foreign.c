#define HASH_NONFATAL_OOM 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <uthash.h>

#include "config.h"
#include "context/context.h"
#include "heap/limit.h"
#include "refusal.h"
#include "preload/serving.h"
#include "mem.h"
#include "foreign.h"
#include "stats/counter.h"

struct seen_name {
	uint64_t handle;
	uint64_t key; /* enum seen_key */
};

struct seen {
	struct seen_name name; /* the hash's key */
	enum seen_kind kind;
	struct device *device;
	const struct context *context; /* NULL: of the process */
	size_t bytes;
	unsigned int uses; /* handles and mappings of physical memory */
	bool gone;         /* from the table: the handle is another's */
	UT_hash_handle hh;
};

/* A range of addresses that physical memory is mapped at. */
struct mapping {
	uint64_t addr; /* the key */
	struct seen *seen;
	struct mapping *next; /* of those that are being unmapped */
	UT_hash_handle hh;
};

static const enum counter counters[] = {
	[SEEN_MANAGED] = COUNTER_managed_bytes,
	[SEEN_PITCHED] = COUNTER_pitched_bytes,
	[SEEN_ASYNC] = COUNTER_async_bytes,
	[SEEN_ARRAYS] = COUNTER_array_bytes,
	[SEEN_VIRTUAL] = COUNTER_virtual_bytes,
	[SEEN_IMPORTED] = COUNTER_imported_bytes,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under lock. */
static struct seen *table;
static struct mapping *mappings;
static _Atomic unsigned int count;

/* Under lock. */
static struct seen *find(enum seen_key key, uint64_t handle)
{
	struct seen_name name = {handle, (uint64_t)key};
	struct seen *seen;

	HASH_FIND(hh, table, &name, sizeof(name), seen);
	return seen;
}

/* Claims of a device what there is of it, but for what was claimed before; or
 * drops that claim. What others have is theirs. */
static void claim(const struct seen *seen, size_t claimed)
{
	if (seen->kind != SEEN_IMPORTED)
		device_claim_unpooled(seen->device,
				      (int64_t)(seen->bytes - claimed));
}

static void unclaim(const struct seen *seen)
{
	if (seen->kind != SEEN_IMPORTED)
		device_claim_unpooled(seen->device, -(int64_t)seen->bytes);
}

/* Under lock; it is claimed. */
static void enter(struct seen *seen)
{
	HASH_ADD(hh, table, name, sizeof(seen->name), seen);
	if (!seen->hh.tbl) {
		unclaim(seen);
		free(seen);
		return;
	}
	seen->device->used = true;
	counter_add(seen->device, counters[seen->kind], seen->bytes);
	count++;
}

/* Under lock. */
static void leave(struct seen *seen)
{
	HASH_DEL(table, seen);
	counter_sub(seen->device, counters[seen->kind], seen->bytes);
	count--;
}

/* Under lock. */
static void end(struct seen *seen)
{
	leave(seen);
	unclaim(seen);
	seen->gone = true;
	if (seen->name.key != SEEN_PHYSICAL || !seen->uses)
		free(seen);
}

static bool add(const struct seen *model, size_t claimed)
{
	struct seen *seen = malloc(sizeof(*seen)), *stale;

	if (!seen) {
		device_claim_unpooled(model->device, -(int64_t)claimed);
		return false;
	}
	serving_guard_fork();
	*seen = *model;
	claim(seen, claimed);
	pthread_mutex_lock(&lock);
	stale = find((enum seen_key)model->name.key, model->name.handle);
	if (stale) /* its end is still to be noted, or came unseen */
		end(stale);
	enter(seen);
	pthread_mutex_unlock(&lock);
	return true;
}

bool seen_order(struct seen_order *order, int ordinal, size_t bytes)
{
	bool known = ordinal >= 0 && ordinal < DEVICE_MAX;

	*order = (struct seen_order){0};
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

void seen_cancel(const struct seen_order *order)
{
	if (order->device)
		device_claim_unpooled(order->device, -(int64_t)order->bytes);
}

bool seen_got(const struct seen_order *order, enum seen_kind kind,
	      enum seen_key key, uint64_t handle, size_t bytes)
{
	bool apart = key == SEEN_PHYSICAL || key == SEEN_POOL;

	if (!order->device || (!apart && !order->context)) {
		seen_cancel(order);
		return false;
	}
	return add(&(struct seen){.name = {handle, (uint64_t)key},
				  .kind = kind,
				  .device = order->device,
				  .context = apart ? NULL : order->context,
				  .bytes = bytes,
				  .uses = 1},
		   order->bytes);
}

bool seen_add_import(enum seen_key key, uint64_t handle, size_t bytes)
{
	const struct context *context =
		config_once() ? context_current() : NULL;

	return context && add(&(struct seen){.name = {handle, (uint64_t)key},
					     .kind = SEEN_IMPORTED,
					     .device = context->device,
					     .context = context,
					     .bytes = bytes,
					     .uses = 1},
			      0);
}

int seen_device(enum seen_key key, uint64_t handle)
{
	const struct seen *seen;
	int ordinal;

	if (!count)
		return -1;
	pthread_mutex_lock(&lock);
	seen = find(key, handle);
	ordinal = seen ? device_ordinal(seen->device) : -1;
	pthread_mutex_unlock(&lock);
	return ordinal;
}

struct seen *seen_take(enum seen_key key, uint64_t handle)
{
	struct seen *seen;

	if (!count || !mem_enabled())
		return NULL;
	pthread_mutex_lock(&lock);
	seen = find(key, handle);
	if (seen)
		leave(seen);
	pthread_mutex_unlock(&lock);
	return seen;
}

void seen_settle(struct seen *seen, int failed)
{
	if (!seen)
		return;
	pthread_mutex_lock(&lock);
	if (!failed || find((enum seen_key)seen->name.key, seen->name.handle)) {
		unclaim(seen);
		free(seen);
	} else {
		enter(seen);
	}
	pthread_mutex_unlock(&lock);
}

struct seen *seen_grab(uint64_t handle)
{
	struct seen *seen;

	if (!count || !mem_enabled())
		return NULL;
	pthread_mutex_lock(&lock);
	seen = find(SEEN_PHYSICAL, handle);
	if (seen)
		seen->uses++;
	pthread_mutex_unlock(&lock);
	return seen;
}

/* Under lock. */
static void drop(struct seen *seen, unsigned int uses)
{
	seen->uses -= uses < seen->uses ? uses : seen->uses;
	if (seen->uses)
		return;
	if (seen->gone)
		free(seen);
	else
		end(seen);
}

void seen_drop(struct seen *seen, unsigned int uses)
{
	if (!seen)
		return;
	pthread_mutex_lock(&lock);
	drop(seen, uses);
	pthread_mutex_unlock(&lock);
}

/* Under lock. */
static void mapping_enter(struct mapping *mapping)
{
	HASH_ADD(hh, mappings, addr, sizeof(mapping->addr), mapping);
	if (mapping->hh.tbl)
		return;
	drop(mapping->seen, 1);
	free(mapping);
}

void seen_map(uint64_t handle, uint64_t addr)
{
	struct mapping *mapping = calloc(1, sizeof(*mapping));
	struct seen *seen = mapping ? seen_grab(handle) : NULL;

	if (!seen) {
		free(mapping);
		return;
	}
	mapping->addr = addr;
	mapping->seen = seen;
	pthread_mutex_lock(&lock);
	mapping_enter(mapping);
	pthread_mutex_unlock(&lock);
}

struct mapping *seen_unmap(uint64_t addr, size_t size)
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

void seen_unmap_settle(struct mapping *list, int failed)
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
		drop(mapping->seen, 1);
		free(mapping);
	}
	pthread_mutex_unlock(&lock);
}

void seen_forget(const struct context *context)
{
	struct seen *seen, *next;

	if (!count)
		return;
	pthread_mutex_lock(&lock);
	HASH_ITER (hh, table, seen, next)
		if (seen->context == context)
			end(seen);
	pthread_mutex_unlock(&lock);
}
