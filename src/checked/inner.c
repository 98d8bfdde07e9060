#include "inner.h"

#include "call.h"

static bool call_was_left(const struct checked_pool *self, struct call *call)
{
	call_end(call);
	checked_fault(self->table, "a call of it took no end");
	return false;
}

bool inner_open(struct checked_pool *self,
		const struct mnm_pool_options *options, bool *opened)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*opened = self->table->inner->open(self->inner, options);
	call_end(call);
	return true;
}

bool inner_close(struct checked_pool *self)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	self->table->inner->close(self->inner);
	call_end(call);
	return true;
}

bool inner_alloc(struct checked_pool *self, const struct mnm_request *request,
		 struct mnm_block **block, enum mnm_answer *answer)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*answer = self->table->inner->alloc(self->inner, request, block);
	call_end(call);
	return true;
}

bool inner_free(struct checked_pool *self, struct mnm_block *block, bool *kept)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*kept = self->table->inner->free(self->inner, block);
	call_end(call);
	return true;
}

bool inner_alloc_batch(struct checked_pool *self,
		       const struct mnm_request *request, size_t most,
		       struct mnm_block_list *list)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*list = self->table->inner->alloc_batch(self->inner, request, most);
	call_end(call);
	return true;
}

bool inner_free_batch(struct checked_pool *self,
		      const struct mnm_block_list *list, bool *kept)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*kept = self->table->inner->free_batch(self->inner, list);
	call_end(call);
	return true;
}

bool inner_trim(struct checked_pool *self, size_t bytes,
		struct mnm_block **list)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*list = self->table->inner->trim(self->inner, bytes);
	call_end(call);
	return true;
}

bool inner_span(const struct checked_pool *self, size_t size, size_t slack,
		size_t *span)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*span = self->table->inner->span(self->inner, size, slack);
	call_end(call);
	return true;
}

bool inner_place(struct checked_pool *self, const struct mnm_request *request,
		 struct mnm_place *place, enum mnm_answer *answer)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*answer = self->table->inner->place(self->inner, request, place);
	call_end(call);
	return true;
}

bool inner_add(struct checked_pool *self, const struct mnm_place *place,
	       bool *kept)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*kept = self->table->inner->add(self->inner, place);
	call_end(call);
	return true;
}

bool inner_lacks(struct checked_pool *self, size_t span,
		 const struct mnm_region *grows, enum mnm_growth rule,
		 struct mnm_lack *lack)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	self->table->inner->lacks(self->inner, span, grows, rule, lack);
	call_end(call);
	return true;
}

bool inner_part(struct checked_pool *self, size_t bytes, bool moves,
		struct mnm_place *place, bool *found)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*found = self->table->inner->part(self->inner, bytes, moves, place);
	call_end(call);
	return true;
}

bool inner_part_aged(struct checked_pool *self, uint64_t *age,
		     struct mnm_place *place, bool *found)
{
	struct call *call = call_begin(&self->table->code);

	if (call && sigsetjmp(call->out, 0))
		return call_was_left(self, call);
	*found = self->table->inner->part_aged(self->inner, age, place);
	call_end(call);
	return true;
}
