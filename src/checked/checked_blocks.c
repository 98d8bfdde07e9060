/* Checks of pools whose blocks are whole allocations of the driver's. */
#include "inner.h"

/* What is wrong with a block that the pool hands over, or NULL. */
static const char *block_wrong(const struct checked_pool *self,
			       const struct mnm_block *block)
{
	const struct held_block *held = held_blocks_find(&self->blocks, block);

	if (!held)
		return "it has handed out a block that it does not have";
	if (held->span != block->span || held->epoch != block->epoch ||
	    held->stream != block->stream)
		return "it has changed the record of a block";
	return NULL;
}

/* The same, of a block that is to serve a request of its span. */
static const char *span_wrong(const struct checked_pool *self,
			      const struct mnm_request *request,
			      const struct mnm_block *block)
{
	const char *wrong = block_wrong(self, block);
	size_t slack = request->slack;

	if (wrong)
		return wrong;
	if (block->span < request->span || block->span - request->span > slack)
		return "it has handed out a block of another span";
	return NULL;
}

/* The same, of a block that is to serve the request now. */
static const char *hit_wrong(const struct checked_pool *self,
			     const struct mnm_request *request,
			     const struct mnm_block *block)
{
	const char *wrong = span_wrong(self, request, block);

	if (!wrong && !mnm_block_is_ready(block, request))
		wrong = "it has handed out a block that was not ready";
	return wrong;
}

static bool block_enters(struct checked_pool *self, struct mnm_block *block)
{
	if (!held_blocks_add(&self->blocks, block))
		return false;
	mnm_pool_idle_add(&self->pool, block->span, 1);
	return true;
}

static void block_leaves(struct checked_pool *self, struct mnm_block *block)
{
	held_blocks_remove(&self->blocks, block);
	mnm_pool_idle_add(&self->pool, block->span, -(size_t)1);
}

enum mnm_answer checked_alloc(struct mnm_pool *pool,
			      const struct mnm_request *request,
			      struct mnm_block **block)
{
	struct checked_pool *self = checked_self(pool);
	struct mnm_block *found = NULL;
	enum mnm_answer answer;
	const char *wrong;

	if (checked_off(self))
		return MNM_MISS;
	checked_tell(self);
	if (!inner_alloc(self, request, &found, &answer))
		return MNM_MISS;
	if (answer == MNM_MISS || answer == MNM_UNSAFE)
		return answer;
	wrong = answer == MNM_HIT ? hit_wrong(self, request, found)
				  : "its answer to alloc is none";
	if (wrong) {
		checked_fault(self->table, "%s", wrong);
		return MNM_MISS;
	}
	block_leaves(self, found);
	*block = found;
	return MNM_HIT;
}

bool checked_free(struct mnm_pool *pool, struct mnm_block *block)
{
	struct checked_pool *self = checked_self(pool);
	const char *wrong;
	bool kept;

	if (checked_off(self) || !block_enters(self, block))
		return false;
	checked_tell(self);
	if (!inner_free(self, block, &kept) || kept)
		return true;
	wrong = block_wrong(self, block);
	if (wrong) {
		checked_fault(self->table, "%s", wrong);
		return true; /* it goes with what the pool has */
	}
	block_leaves(self, block);
	return false;
}

/* The blocks of a list, which is one that mnm has made, up to one of them. */
static void list_leaves(struct checked_pool *self,
			const struct mnm_block_list *list,
			const struct mnm_block *end)
{
	for (struct mnm_block *at = list->head; at != end; at = at->next)
		block_leaves(self, at);
}

/* Returns false without memory: then none has entered. */
static bool list_enters(struct checked_pool *self,
			const struct mnm_block_list *list)
{
	struct mnm_block *at = list->head;

	for (size_t i = 0; i < list->count; i++, at = at->next)
		if (!block_enters(self, at)) {
			list_leaves(self, list, at);
			return false;
		}
	return true;
}

/* Whether a list, and each block of it, is as it was when they entered. */
static bool list_stands(const struct checked_pool *self,
			const struct mnm_block_list *list)
{
	const struct mnm_block *at = list->head;

	for (size_t i = 1; i < list->count; i++, at = at->next)
		if (at == list->tail || block_wrong(self, at))
			return false;
	return at == list->tail && !block_wrong(self, at);
}

bool checked_free_batch(struct mnm_pool *pool,
			const struct mnm_block_list *list)
{
	struct checked_pool *self = checked_self(pool);
	bool kept;

	if (checked_off(self) || !list_enters(self, list))
		return false;
	checked_tell(self);
	if (!inner_free_batch(self, list, &kept) || kept)
		return true;
	if (list_stands(self, list)) {
		list->tail->next = NULL;
		list_leaves(self, list, NULL);
		return false;
	}
	checked_fault(self->table, "it has changed a list that it refused");
	return true; /* they go with what it has */
}

/* What is wrong with a list that is to serve requests, or NULL. */
static const char *list_wrong(const struct checked_pool *self,
			      const struct mnm_request *request,
			      const struct mnm_block_list *list, size_t most)
{
	const struct mnm_block *at = list->head;
	const char *wrong;

	if (list->count > most)
		return "a batch has more blocks than were asked for";
	for (size_t i = 0; i < list->count; i++, at = at->next) {
		wrong = i ? span_wrong(self, request, at)
			  : hit_wrong(self, request, at);
		if (wrong)
			return wrong;
		if (at->span != request->span || at->stream != request->stream)
			return "a batch has blocks of another span or stream";
		if (i + 1 == list->count && at != list->tail)
			return "a batch does not end at its tail";
	}
	return NULL;
}

/* The blocks of a list leave. One that comes twice has left when it comes
 * again: then all are the pool's, and the answer says so. */
static const char *batch_take(struct checked_pool *self,
			      const struct mnm_block_list *list)
{
	struct mnm_block *at = list->head;
	size_t taken = 0;

	for (; taken < list->count && held_blocks_find(&self->blocks, at);
	     taken++, at = at->next)
		block_leaves(self, at);
	if (taken == list->count)
		return NULL;
	for (at = list->head; taken--; at = at->next)
		block_enters(self, at); /* where there was room, there is */
	return "a batch has a block twice";
}

struct mnm_block_list checked_alloc_batch(struct mnm_pool *pool,
					  const struct mnm_request *request,
					  size_t most)
{
	struct checked_pool *self = checked_self(pool);
	struct mnm_block_list list = {0};
	const char *wrong;

	if (checked_off(self))
		return list;
	checked_tell(self);
	if (!inner_alloc_batch(self, request, most, &list))
		return (struct mnm_block_list){0};
	wrong = list_wrong(self, request, &list, most);
	if (!wrong)
		wrong = batch_take(self, &list);
	if (!wrong)
		return list;
	checked_fault(self->table, "%s", wrong);
	return (struct mnm_block_list){0};
}

/* Takes a list that the pool hands over; what is no block of its is not
 * looked at. Sets *bytes. Returns what is wrong, or NULL. */
static const char *trim_take(struct checked_pool *self, struct mnm_block *from,
			     struct mnm_block **list, size_t *bytes)
{
	struct mnm_block *next;
	const char *wrong;

	for (*bytes = 0; from; from = next) {
		wrong = block_wrong(self, from);
		if (wrong)
			return wrong;
		next = from->next;
		*bytes += from->span;
		block_leaves(self, from);
		from->next = *list;
		*list = from;
	}
	return NULL;
}

/* The pool is off: all that it had goes. */
static struct mnm_block *trim_all(struct checked_pool *self,
				  struct mnm_block *list)
{
	struct mnm_block *rest = held_blocks_take_all(&self->blocks);

	for (struct mnm_block *next; rest; rest = next) {
		next = rest->next;
		rest->next = list;
		list = rest;
	}
	return list;
}

struct mnm_block *checked_trim(struct mnm_pool *pool, size_t bytes)
{
	struct checked_pool *self = checked_self(pool);
	struct mnm_block *list = NULL, *from;
	const char *wrong;
	size_t taken;

	if (checked_off(self))
		return trim_all(self, NULL);
	checked_tell(self);
	if (!inner_trim(self, bytes, &from))
		return trim_all(self, NULL);
	wrong = trim_take(self, from, &list, &taken);
	if (!wrong && taken < bytes && self->blocks.count)
		wrong = "it has kept blocks back that were to go";
	if (!wrong)
		return list;
	checked_fault(self->table, "%s", wrong);
	return trim_all(self, list);
}
