/* Requests of tstack_pool that no plan foresees: which of them free bytes of
 * the arena serve, so that no more memory is taken. */
#include "tstack.h"

enum {
	SOON = 16,  /* requests: what a plan needs within these is left alone */
	STRAY = 4,  /* requests in a row that no plan foresees */
	OVER = 128, /* the part of all memory that may be taken besides */
	/* So many laps, and a block stays where places of the plan are: if some
	 * were blocked, and if none was. */
	STAYS_LEAST = 3,
	STAYS_MOST = 16,
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

bool tstack_is_dear(const struct tstack_pool *self, size_t span)
{
	const struct mnm_pool *pool = &self->pool;
	/* What the program needs as planned, or now. */
	size_t need = pool->live_span - self->arena.live + self->bytes;

	if (need < pool->live_span + span)
		need = pool->live_span + span;
	return is_lost(self) || pool->region_bytes + span > need + need / OVER;
}

/* Bytes that are needed late, if the program is where the plan says; any, if
 * there is no other way. */
static uint64_t room_find(struct tstack_pool *self, size_t span)
{
	struct stray stray = {.self = self, .span = span};
	uint64_t offset;
	size_t until;

	tstack_arena_gaps(self, gap_note, &stray);
	offset = replay_room(self->replay, &stray.gaps, span, &until);
	return until < SOON && !tstack_is_dear(self, span) ? UINT64_MAX
							   : offset;
}

enum mnm_answer tstack_stray(struct tstack_pool *self,
			     const struct mnm_request *request,
			     struct mnm_place *place)
{
	const struct replay_free latest = {self->arena.freed.epoch,
					   self->arena.freed.stream};
	struct mnm_request asked = *request;
	struct arena_block block = {.size = request->span,
				    .slot = REPLAY_NONE,
				    .stray = true,
				    .lap = self->age};

	if (!self->region || request->span > self->bytes - self->arena.live)
		return MNM_MISS;
	block.offset = room_find(self, request->span);
	if (block.offset == UINT64_MAX)
		return MNM_MISS;
	if (!tstack_is_ready(&latest, &asked))
		return MNM_UNSAFE;
	if (!arena_prepare(&self->arena, self->arena.count + 1))
		return MNM_MISS;
	arena_enter(&self->arena, &block);
	*place = (struct mnm_place){.region = self->region,
				    .addr = self->begin + block.offset,
				    .bytes = request->span,
				    .epoch = latest.epoch};
	return MNM_HIT;
}

/* For how many laps the oldest block without a slot has lived. */
static uint64_t stray_age(const struct tstack_pool *self)
{
	const struct arena_block *block = self->arena.blocks;
	uint64_t age = 0;

	for (size_t i = 0; i < self->arena.count; i++, block++)
		if (block->slot == REPLAY_NONE && self->age - block->lap > age)
			age = self->age - block->lap;
	return age;
}

bool tstack_stray_stays(const struct tstack_pool *self, bool blocks)
{
	return self->arena.strays &&
	       stray_age(self) >= (blocks ? STAYS_LEAST : STAYS_MOST);
}

size_t tstack_spare(const struct tstack_pool *self, size_t bytes)
{
	const struct mnm_pool *pool = &self->pool;
	size_t taken = pool->live_span + bytes - self->arena.live +
		       self->bytes - self->unbacked * MNM_REGION_PAGE;

	return taken < pool->region_bytes ? pool->region_bytes - taken : 0;
}
