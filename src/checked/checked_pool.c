#include "checked_pool.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inner.h"
#include "common/log.h"
#include "common/pool_list.h"

enum { PERCENT = 100 };

static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;
static struct checked_table *tables;

static bool is_power(size_t number)
{
	return number && !(number & (number - 1));
}

bool checked_off(const struct checked_pool *self)
{
	return __atomic_load_n(&self->table->off, __ATOMIC_RELAXED);
}

void checked_fault(struct checked_table *table, const char *format, ...)
{
	char why[FAULT_SIZE];
	va_list args;

	if (__atomic_exchange_n(&table->off, true, __ATOMIC_RELAXED))
		return;
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	pool_row_switch_off(table->inner->name);
	log_error("pool %s is switched off: %s; %s serves instead",
		  table->inner->name, why, POOL_DEFAULT);
}

void checked_tell(struct checked_pool *self)
{
	struct mnm_pool *inner = self->inner;
	const struct held_region *growing = NULL;

	if (self->pool.growing)
		growing = held_region_find(&self->bytes, self->pool.growing);
	inner->live_count = self->pool.live_count;
	inner->live_span = self->pool.live_span;
	inner->region_bytes = self->pool.region_bytes;
	inner->apart = self->pool.apart;
	inner->growing = growing ? (struct mnm_region *)&growing->seen : NULL;
}

/* What is wrong with the classes that a pool has published, or NULL. */
static const char *classes_wrong(const struct mnm_size_classes *classes)
{
	if (!classes->unit)
		return NULL;
	if (!is_power(classes->unit) || classes->unit < MNM_SPAN_UNIT)
		return "the unit of its classes is no power of two from 512 on";
	if (classes->divisions && !is_power(classes->divisions))
		return "the divisions of its classes are no power of two";
	if (classes->coarse &&
	    (!is_power(classes->coarse) || classes->coarse < classes->unit))
		return "the coarse classes are no power of two from the unit on";
	return NULL;
}

/* The pool's classes, with larger units where blocks have to be. For requests
 * that are rounded up to these, both compute the same spans. */
static struct mnm_size_classes classes_of(const struct checked_pool *self)
{
	struct mnm_size_classes classes = self->inner->classes;
	size_t unit = checked_unit(&self->pool);

	if (classes.unit && classes.unit < unit)
		classes.unit = unit;
	if (classes.coarse && classes.coarse < classes.unit)
		classes.coarse = classes.unit;
	return classes;
}

/* Takes over what the pool has set. */
static bool opened(struct checked_pool *self)
{
	const struct mnm_pool_ops *ops = self->inner->ops;
	const char *wrong = classes_wrong(&self->inner->classes);

	if (!wrong && self->inner->headroom > PERCENT)
		wrong = "its headroom is more than 100 percent";
	if (!wrong && self->inner->classes.unit && !ops->place &&
	    !ops->alloc_batch)
		wrong = ops->alloc ? "it has size classes, but no alloc_batch"
				   : "it has size classes, but keeps nothing";
	if (wrong) {
		checked_fault(self->table, "%s", wrong);
		return false;
	}
	self->pool.classes = classes_of(self);
	self->pool.headroom = self->inner->headroom;
	return true;
}

static void inner_end(struct checked_pool *self)
{
	if (self->inner && self->inner->ops->close && !checked_off(self))
		inner_close(self);
	free(self->inner);
}

/* Whoever wrote the pool should know. A pool may open later. */
static void shut_tell(struct checked_table *table)
{
	if (!checked_is_off(&table->ops) &&
	    !__atomic_exchange_n(&table->shut, true, __ATOMIC_RELAXED))
		log_warn("pool %s does not open: its open has returned false; "
			 "CUDA serves each call until it opens",
			 table->inner->name);
}

static bool checked_open(struct mnm_pool *pool,
			 const struct mnm_pool_options *options)
{
	struct checked_pool *self = checked_self(pool);
	const struct mnm_pool_ops *ops;
	bool done = true;

	self->table = (struct checked_table *)pool->ops;
	if (checked_off(self))
		return false;
	ops = self->table->inner;
	self->inner = calloc(1, ops->size);
	if (!self->inner)
		return false;
	self->inner->ops = ops;
	self->inner->backing = pool->backing;
	if (ops->open && (!inner_open(self, options, &done) || !done)) {
		shut_tell(self->table);
		free(self->inner);
		return false;
	}
	if (opened(self))
		return true;
	inner_end(self);
	return false;
}

static void checked_close(struct mnm_pool *pool)
{
	struct checked_pool *self = checked_self(pool);

	inner_end(self);
	checked_keeper_close(self);
	held_blocks_close(&self->blocks);
	held_bytes_close(&self->bytes);
}

/* What is wrong with a span, or NULL. */
static const char *span_wrong(const struct mnm_pool *pool, size_t span,
			      size_t size, size_t slack)
{
	const struct mnm_pool_ops *ops = pool->ops;

	if (span && span < size)
		return "a span is less than its request";
	if (!ops->alloc && !ops->place && span != size)
		return "it keeps nothing, but a span is not its request's size";
	if (ops->place && span % MNM_SPAN_UNIT)
		return "a span is no multiple of 512 bytes";
	if (!pool->classes.unit)
		return NULL;
	if (!slack && span != mnm_size_class_span(&pool->classes, size))
		return "a span is not the one of its size classes";
	if (slack && span % pool->classes.unit)
		return "a span is no multiple of the unit of its classes";
	return NULL;
}

/* What is right in place of a pool's span. */
static size_t span_without(const struct mnm_pool *pool, size_t size)
{
	if (!pool->ops->alloc && !pool->ops->place)
		return size;
	return pool->classes.unit ? mnm_size_class_span(&pool->classes, size)
	       : size > SIZE_MAX - MNM_SPAN_UNIT
		       ? 0
		       : (size + MNM_SPAN_UNIT - 1) & -MNM_SPAN_UNIT;
}

static size_t checked_span(const struct mnm_pool *pool, size_t size,
			   size_t slack)
{
	const struct checked_pool *self = (const struct checked_pool *)pool;
	const char *wrong;
	size_t span, unit = checked_unit(pool);

	if (unit > MNM_SPAN_UNIT) {
		if (size > SIZE_MAX - unit)
			return 0;
		size = (size + unit - 1) & -unit;
	}
	if (checked_off(self) || !inner_span(self, size, slack, &span))
		return span_without(pool, size);
	wrong = span_wrong(pool, span, size, slack);
	if (!wrong)
		return span;
	checked_fault(self->table, "%s (%zu bytes for %zu)", wrong, span, size);
	return span_without(pool, size);
}

static void table_fill(struct checked_table *table,
		       const struct mnm_pool_ops *inner)
{
	bool places = inner->place, keeps = inner->alloc;

	table->inner = inner;
	table->code =
		code_of((const void *)(uintptr_t)inner->span, inner->name);
	table->ops = (struct mnm_pool_ops){
		.name = inner->name,
		.size = sizeof(struct checked_pool),
		.open = checked_open,
		.close = checked_close,
		.span = checked_span,
		.alloc = keeps ? checked_alloc : NULL,
		.free = keeps ? checked_free : NULL,
		.alloc_batch = inner->alloc_batch ? checked_alloc_batch : NULL,
		.free_batch = inner->free_batch ? checked_free_batch : NULL,
		.trim = keeps ? checked_trim : NULL,
		.place = places ? checked_place : NULL,
		.add = places ? checked_add : NULL,
		.lacks = places ? checked_lacks : NULL,
		.part = places ? checked_part : NULL,
		.part_aged = inner->part_aged ? checked_part_aged : NULL,
		.grows = inner->grows,
	};
}

const struct mnm_pool_ops *checked_ops(const struct mnm_pool_ops *ops)
{
	struct checked_table *table;

	pthread_mutex_lock(&tables_lock);
	for (table = tables; table && table->inner != ops; table = table->next)
		;
	if (!table) {
		table = calloc(1, sizeof(*table));
		if (table) {
			table_fill(table, ops);
			table->next = tables;
			tables = table;
		}
	}
	pthread_mutex_unlock(&tables_lock);
	return table ? &table->ops : NULL;
}

bool checked_is_off(const struct mnm_pool_ops *ops)
{
	return ops->open == checked_open &&
	       __atomic_load_n(&((const struct checked_table *)ops)->off,
			       __ATOMIC_RELAXED);
}

void checked_end(const struct mnm_pool_ops *ops)
{
	if (ops->open == checked_open)
		__atomic_store_n(&((struct checked_table *)ops)->off, true,
				 __ATOMIC_RELAXED);
}

struct mnm_pool *checked_inner(struct mnm_pool *pool)
{
	struct checked_pool *self = checked_self(pool);

	if (pool->ops->open != checked_open)
		return pool;
	if (checked_off(self))
		return NULL;
	checked_tell(self);
	return self->inner;
}
