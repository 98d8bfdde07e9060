/* Requests of tstack_pool that no plan foresees: which of them free bytes of the
 * arena serve, so that no more memory is taken. */
#include "tstack.h"

enum {
	SOON = 16,  /* requests: what a plan needs within these is left alone */
	STRAY = 4,  /* requests in a row that no plan foresees */
	OVER = 128, /* the part of all memory that may be taken besides */
};

struct stray {
	const struct tstack_pool *self;
	struct replay_gaps gaps;
	size_t span;
};

static void gap_note(void *argument, uint64_t offset, uint64_t size)
{
	struct stray *stray = argument;

	if (size >= stray->span)
		replay_gaps_add(&stray->gaps, offset, offset + size);
}

static bool is_lost(const struct tstack_pool *self)
{
	return replay_missed(self->replay) + 1 >= STRAY;
}

/* Bytes that are needed late, if the program is where the plan says. */
static uint64_t room_find(struct tstack_pool *self, size_t span)
{
	struct stray stray = {.self = self, .span = span};
	uint64_t offset;
	size_t until;

	tstack_arena_gaps(self, gap_note, &stray);
	offset = replay_room(self->replay, &stray.gaps, span, &until);
	return until < SOON && !is_lost(self) ? UINT64_MAX : offset;
}

enum mnm_answer tstack_stray(struct tstack_pool *self,
			     const struct mnm_request *request,
			     struct mnm_place *place)
{
	struct arena_block block = {
		.size = request->span, .slot = REPLAY_NONE, .stray = true};

	if (!self->region || request->span > self->bytes - self->arena.live)
		return MNM_MISS;
	block.offset = room_find(self, request->span);
	if (block.offset == UINT64_MAX)
		return MNM_MISS;
	if (self->arena.freed != MNM_EPOCH_NEVER &&
	    self->arena.freed >= request->safe)
		return MNM_UNSAFE;
	if (!arena_prepare(&self->arena, self->arena.count + 1))
		return MNM_MISS;
	arena_enter(&self->arena, &block);
	*place = (struct mnm_place){.region = self->region,
				    .addr = self->begin + block.offset,
				    .bytes = request->span,
				    .epoch = self->arena.freed};
	return MNM_HIT;
}

bool tstack_is_dear(const struct tstack_pool *self, size_t span)
{
	const struct mnm_pool *pool = &self->pool;
	/* What the program needs as planned, or now. */
	size_t need = pool->live_span - self->arena.live + self->bytes;

	if (need < pool->live_span + span)
		need = pool->live_span + span;
	return is_lost(self) || pool->region_bytes + span > need + need / OVER;
}
