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
#include "heap/pools.h"
#include "heap/noted.h"
#include "refusal.h"
#include "preload/serving.h"
#include "mem.h"
#include "foreign.h"
#include "stats/counter.h"
#include "stats/mempool_stats.h"
#include "preload/thread.h"

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

static const enum counter counters[] = {
	[FOREIGN_MANAGED] = COUNTER_managed_bytes,
	[FOREIGN_PITCHED] = COUNTER_pitched_bytes,
	[FOREIGN_ASYNC] = COUNTER_async_bytes,
	[FOREIGN_ARRAYS] = COUNTER_array_bytes,
	[FOREIGN_VIRTUAL] = COUNTER_virtual_bytes,
	[FOREIGN_IMPORTED] = COUNTER_imported_bytes,
	[FOREIGN_BORROWED] = COUNTER_borrowed_bytes,
	[FOREIGN_BORROWED_PINNED] = COUNTER_borrowed_bytes,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under lock. */
static struct foreign *table;
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

/* Under lock. Its bytes are claimed. Returns false if there is no memory for
 * it, and it has been dropped. */
static bool foreign_enter(struct foreign *foreign)
{
	HASH_ADD(hh, table, name, sizeof(foreign->name), foreign);
	if (!foreign->hh.tbl) {
		foreign_unclaim(foreign);
		free(foreign);
		return false;
	}
	foreign->device->used = true;
	counter_add(foreign->device, counters[foreign->kind], foreign->bytes);
	if (foreign->mempool)
		mempool_count_beside(foreign->mempool, (int64_t)foreign->bytes);
	count++;
	return true;
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

/* Memory of other processes is theirs. */
static void foreign_note(enum mnm_record_kind kind,
			 const struct foreign *foreign)
{
	if (foreign->kind != FOREIGN_IMPORTED)
		noted_foreign(kind, foreign->device,
			      foreign->kind == FOREIGN_ASYNC,
			      foreign->name.handle, foreign->bytes);
}

/* Under lock. */
static void foreign_end_one(struct foreign *foreign)
{
	foreign_note(MNM_RECORD_FREE, foreign);
	foreign_leave(foreign);
	foreign_unclaim(foreign);
	foreign->gone = true;
	if (foreign->name.key != FOREIGN_PHYSICAL || !foreign->uses)
		free(foreign);
}

static bool foreign_add(const struct foreign *model, size_t claimed)
{
	struct foreign *foreign = malloc(sizeof(*foreign)), *stale;
	bool entered;

	if (!foreign) {
		device_claim_unpooled(model->device, -(int64_t)claimed);
		return false;
	}
	serving_guard_fork();
	if (model->name.key == FOREIGN_ADDRESS)
		pools_correct_over(model->name.handle, model->bytes);
	*foreign = *model;
	foreign_claim_bytes(foreign, claimed);
	pthread_mutex_lock(&lock);
	stale = foreign_find((enum foreign_key)model->name.key,
			     model->name.handle);
	if (stale) /* its end is still to be noted, or came unseen */
		foreign_end_one(stale);
	entered = foreign_enter(foreign);
	if (entered)
		foreign_note(MNM_RECORD_ALLOC, foreign);
	pthread_mutex_unlock(&lock);
	return entered;
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
	noted_foreign(MNM_RECORD_FAILED, order->device, false, 0, bytes);
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

/* A copy of what is known of the memory; its kind is FOREIGN_NONE if that is
 * nothing. */
static struct foreign foreign_seen(enum foreign_key key, uint64_t handle)
{
	struct foreign copy = {.kind = FOREIGN_NONE};
	const struct foreign *foreign;

	if (!count || !mem_enabled())
		return copy;
	pthread_mutex_lock(&lock);
	foreign = foreign_find(key, handle);
	if (foreign)
		copy = *foreign;
	pthread_mutex_unlock(&lock);
	return copy;
}

int foreign_device(enum foreign_key key, uint64_t handle)
{
	struct foreign seen = foreign_seen(key, handle);

	return seen.kind ? device_ordinal(seen.device) : -1;
}

static bool is_borrowed(const struct foreign *foreign)
{
	return foreign->kind >= FOREIGN_BORROWED;
}

bool foreign_is_borrowed(uint64_t addr)
{
	struct foreign seen = foreign_seen(FOREIGN_ADDRESS, addr);

	return is_borrowed(&seen);
}

struct CUctx_st *foreign_pinned_by(const struct foreign *seen)
{
	return seen && seen->kind == FOREIGN_BORROWED_PINNED
		       ? seen->context->handle
		       : NULL;
}

struct foreign *foreign_end_begin(enum foreign_key key, uint64_t handle)
{
	struct foreign *foreign;

	if (!count || !mem_enabled())
		return NULL;
	pthread_mutex_lock(&lock);
	foreign = foreign_find(key, handle);
	if (foreign) {
		foreign_note(MNM_RECORD_FREE, foreign);
		foreign_leave(foreign);
	}
	pthread_mutex_unlock(&lock);
	return foreign;
}

void foreign_end_finish(struct foreign *foreign, int failed)
{
	if (!foreign)
		return;
	if (!failed && foreign->kind == FOREIGN_ASYNC)
		cuda_pools_freed(foreign->device);
	if (!failed && is_borrowed(foreign))
		counter_add(foreign->device, COUNTER_frees, 1);
	pthread_mutex_lock(&lock);
	if (!failed || foreign_find((enum foreign_key)foreign->name.key,
				    foreign->name.handle)) {
		foreign_unclaim(foreign);
		free(foreign);
	} else if (foreign_enter(foreign)) {
		foreign_note(MNM_RECORD_LIVE, foreign);
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

void foreign_drop(struct foreign *foreign, unsigned int uses)
{
	if (!foreign)
		return;
	pthread_mutex_lock(&lock);
	foreign->uses -= uses < foreign->uses ? uses : foreign->uses;
	if (!foreign->uses && foreign->gone)
		free(foreign);
	else if (!foreign->uses)
		foreign_end_one(foreign);
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

void foreign_each(void (*each)(const struct mnm_record_event *event))
{
	struct foreign *foreign, *next;
	struct mnm_record_event event = {0};

	pthread_mutex_lock(&lock);
	HASH_ITER (hh, table, foreign, next) {
		if (foreign->kind == FOREIGN_IMPORTED)
			continue;
		event.address = foreign->name.handle;
		event.size = event.span = foreign->bytes;
		event.device = (uint8_t)device_ordinal(foreign->device);
		each(&event);
	}
	pthread_mutex_unlock(&lock);
}

bool foreign_try_each(const struct device *device,
		      void (*each)(enum foreign_kind kind, size_t bytes,
				   void *arg),
		      void *arg)
{
	struct foreign *foreign, *next;

	if (!thread_trylock(&lock))
		return false;
	HASH_ITER (hh, table, foreign, next)
		if (foreign->device == device)
			each(foreign->kind, foreign->bytes, arg);
	pthread_mutex_unlock(&lock);
	return true;
}
