/* Requests of tstack_pool that no plan foresees: which of them free bytes of
 * the arena serve, so that no more memory is taken. */
#include "tstack.h"

enum {
	SOON = 16,  /* requests: what a plan needs within these is left alone */
	STRAY = 4,  /* requests in a row that no plan foresees */
	OVER = 128, /* the part of all memory that may be taken besides */
	DEAR_MOST = 7, /* log2 of the most times that part */
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
	size_t need = tstack_beside(self) + self->bytes;
	size_t live = tstack_live(self) + span, over;

	if (need < live)
		need = live;
	over = (need / OVER / MNM_REGION_PAGE + 1) * MNM_REGION_PAGE
	       << self->dear;
	return is_lost(self) || pool->region_bytes + span > need + over;
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

bool tstack_is_too_dear(struct tstack_pool *self, size_t span)
{
	if (!tstack_is_dear(self, span) || !tstack_arena_end(self))
		return false;
	self->dear += self->dear < DEAR_MOST;
	tstack_yield(self);
	return true;
}

enum mnm_answer tstack_stray(struct tstack_pool *self,
			     const struct mnm_request *request,
			     struct mnm_place *place)
{
	struct mnm_request asked = *request;
	struct replay_free latest;
	struct arena_cell *cell;
	struct arena_age age;
	uint64_t offset;

	if (!self->region || request->span > self->bytes)
		return MNM_MISS;
	offset = room_find(self, request->span);
	if (offset == UINT64_MAX ||
	    !arena_is_free(&self->arena, offset, request->span, &age))
		return MNM_MISS;
	latest = (struct replay_free){age.epoch, age.stream};
	if (!tstack_is_ready(&latest, &asked))
		return MNM_UNSAFE;
	if (!arena_prepare(&self->arena, offset, request->span))
		return MNM_MISS;
	tstack_lived(self, arena_find(&self->arena, offset));
	cell = replay_stray(self->replay, &self->arena, offset, request->span,
			    course_now(&self->course));
	cell->lap = self->age;
	*place = (struct mnm_place){.region = self->region,
				    .addr = self->begin + offset,
				    .bytes = request->span,
				    .epoch = latest.epoch};
	return MNM_HIT;
}

/* For how many laps the oldest block without a slot has lived. */
static uint64_t stray_age(const struct tstack_pool *self)
{
	uint64_t age = 0;

	for (size_t i = 0; i < self->arena.count; i++) {
		const struct arena_cell *cell = self->arena.cells[i];

		if (arena_cell_lives(cell) && cell->slot == REPLAY_NONE &&
		    self->age - cell->lap > age)
			age = self->age - cell->lap;
	}
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
	size_t taken = tstack_beside(self) + bytes + self->bytes -
		       self->unbacked * MNM_REGION_PAGE;

	return taken < pool->region_bytes ? pool->region_bytes - taken : 0;
}
