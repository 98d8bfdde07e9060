/* The arena of tstack_pool: the addresses of a plan, in a region of the base
 * pool's. */
#include <stdlib.h>

#include "tstack.h"
#include "tstack_templates.h"
#include "tstack_window.h"

static size_t pages_of(uint64_t bytes)
{
	return (bytes + MNM_REGION_PAGE - 1) / MNM_REGION_PAGE;
}

static void arena_begin(struct tstack_pool *self, struct mnm_region *region,
			uint64_t begin, size_t bytes, struct arena_age age)
{
	self->region = region;
	self->begin = begin;
	self->bytes = bytes;
	self->arena.freed = age;
	self->arena.stray_freed = (struct arena_age){MNM_EPOCH_NEVER, 0};
	self->wanted = 0;
	self->state = TSTACK_FOLLOWS;
	self->spare = SIZE_MAX;
	self->surplus = 0;
	self->laps = self->age = 0;
	self->lacked = self->unbacked;
	self->needed = 0;
	self->shed_due = 1;
	self->lap = (struct tstack_lap){.blocked = self->figures.blocked};
	self->templates.current->poor = 0;
	/* The slots were placed in another arena before, if at all. */
	replay_begin(self->replay, replay_next(self->replay));
}

/* Addresses at the end of the region that grows. Memory moves there as blocks
 * of the base pool end, so that hardly more is reserved meanwhile. */
static bool arena_claim(struct tstack_pool *self)
{
	size_t pages = pages_of(self->wanted);

	self->backed = calloc(pages, sizeof(*self->backed));
	if (!self->backed)
		return false;
	self->unbacked = pages;
	self->claims = true;
	arena_begin(self, self->pool.growing, UINT64_MAX / 2, self->wanted,
		    (struct arena_age){MNM_EPOCH_NEVER, 0});
	return true;
}

/* Bytes of the base pool's. They are taken whether they are ready or not: each
 * place is looked at before it is used. */
static bool arena_take(struct tstack_pool *self)
{
	const struct mnm_request any = {.span = self->wanted,
					.safe = UINT64_MAX};
	struct mnm_place place;

	tstack_tell(self);
	if (self->base->ops->place(self->base, &any, &place) != MNM_HIT)
		return false;
	arena_begin(self, place.region, place.addr, place.bytes,
		    (struct arena_age){place.epoch, place.stream});
	return true;
}

bool tstack_arena_make(struct tstack_pool *self)
{
	return self->pool.growing ? arena_claim(self) : arena_take(self);
}

/* Notes the first pages of a slot that have no memory. Returns whether all
 * have. */
static bool is_backed(struct tstack_pool *self, const struct replay_slot *slot)
{
	size_t page = slot->offset / MNM_REGION_PAGE;
	size_t end = pages_of(slot->offset + slot->size), last;

	if (!self->unbacked)
		return true;
	while (page < end && self->backed[page])
		page++;
	for (last = page; last < end && !self->backed[last];)
		last++;
	self->needs = page < end;
	self->need = page * MNM_REGION_PAGE;
	self->need_bytes = (last - page) * MNM_REGION_PAGE;
	return page == end;
}

/* The base pool says which of its free pages move there. */
void tstack_arena_lacks(struct tstack_pool *self,
			const struct mnm_region *grows, struct mnm_lack *lack)
{
	size_t lacked;

	tstack_tell(self);
	self->base->ops->lacks(self->base, self->need_bytes, grows,
			       MNM_GROW_LEAST, lack);
	lacked = lack->fresh + lack->moved;
	if (lacked < self->need_bytes)
		lack->fresh += self->need_bytes - lacked;
	if (self->claims) {
		self->claims = false;
		self->begin = grows->base + grows->bytes;
		lack->ahead = pages_of(self->bytes) * MNM_REGION_PAGE;
	}
	self->needed++;
	lack->at = self->begin + self->need;
	self->needs = false;
}

/* What is left of the last page serves others. Without memory for a record it
 * serves nobody. */
static void tail_add(struct tstack_pool *self, const struct mnm_place *place)
{
	struct mnm_place tail = *place;

	tail.addr = self->begin + self->bytes;
	tail.bytes = place->addr + place->bytes - tail.addr;
	if (place->addr + place->bytes <= tail.addr)
		return;
	tstack_tell(self);
	self->base->ops->add(self->base, &tail);
}

bool tstack_arena_add(struct tstack_pool *self, const struct mnm_place *place)
{
	size_t page = (place->addr - self->begin) / MNM_REGION_PAGE;

	if (!self->unbacked || place->addr - self->begin >= self->bytes ||
	    self->backed[page])
		return false;
	tail_add(self, place);
	for (size_t i = 0; i < place->bytes / MNM_REGION_PAGE; i++)
		self->backed[page + i] = true;
	self->unbacked -= place->bytes / MNM_REGION_PAGE;
	arena_age(&self->arena.freed, place->epoch, place->stream);
	return true;
}

struct ending {
	struct tstack_pool *self;
	size_t live; /* blocks */
	bool begun, failed;
};

/* Where the page ends that an offset is in, or a gap if it ends before. */
static uint64_t page_end(uint64_t offset, uint64_t gap_end)
{
	uint64_t end = (offset / MNM_REGION_PAGE + 1) * MNM_REGION_PAGE;

	return end < gap_end ? end : gap_end;
}

struct gap_visit {
	const struct tstack_pool *self;
	void (*visit)(void *argument, uint64_t offset, uint64_t size);
	void *argument;
};

/* The bytes of a gap that have memory. */
static void gap_visit(void *argument, uint64_t offset, uint64_t size)
{
	const struct gap_visit *to = argument;
	const struct tstack_pool *self = to->self;
	uint64_t end = offset + size, next;

	for (; offset < end; offset = next) {
		const bool *backed = &self->backed[offset / MNM_REGION_PAGE];

		next = self->unbacked ? page_end(offset, end) : end;
		while (next < end &&
		       self->backed[next / MNM_REGION_PAGE] == *backed)
			next = page_end(next, end);
		if (!self->unbacked || *backed)
			to->visit(to->argument, offset, next - offset);
	}
}

void tstack_arena_gaps(struct tstack_pool *self,
		       void (*visit)(void *argument, uint64_t offset,
				     uint64_t size),
		       void *argument)
{
	struct gap_visit to = {self, visit, argument};

	arena_gaps(&self->arena, self->bytes, gap_visit, &to);
}

/* Free bytes go to the base pool. It makes records for as many free extents as
 * there may be in its first call, which is told of more blocks than there are,
 * so that no later one fails. */
static void free_leave(void *argument, uint64_t offset, uint64_t size)
{
	struct ending *ending = argument;
	struct tstack_pool *self = ending->self;
	const struct mnm_place gap = {.region = self->region,
				      .addr = self->begin + offset,
				      .bytes = size,
				      .epoch = self->arena.freed.epoch,
				      .stream = self->arena.freed.stream};

	if (ending->failed)
		return;
	tstack_tell(self);
	if (!ending->begun)
		self->base->live_count += ending->live + self->unbacked + 1;
	ending->begun = true;
	ending->failed = !self->base->ops->add(self->base, &gap);
}

/* What lies in the cells goes on without them. */
void tstack_cells_leave(struct tstack_pool *self)
{
	struct arena *arena = &self->arena;

	for (size_t i = 0; i < arena->count; i++) {
		arena_count(arena, arena->cells[i]);
		if (self->course.doors && arena->cells[i]->record)
			self->course.doors->leave(&self->course,
						  arena->cells[i]);
	}
}

/* Forgets the cells, but not what is owed for them, nor how long their blocks
 * have lived. */
static void cells_forget(struct tstack_pool *self)
{
	struct arena_owed owed = arena_owed(&self->arena);

	for (size_t i = 0; i < self->arena.count; i++)
		tstack_lives_on(self, self->arena.cells[i]);
	arena_close(&self->arena);
	self->arena.owed_blocks = owed.blocks;
	self->arena.owed_bytes = owed.bytes;
	templates_leave(&self->templates);
}

bool tstack_arena_end(struct tstack_pool *self)
{
	struct ending ending = {.self = self};
	uint64_t bytes;

	if (self->course.doors)
		self->course.doors->close(&self->course);
	ending.live = arena_live(&self->arena, &bytes);
	self->arena.freed = arena_latest(&self->arena);
	tstack_arena_gaps(self, free_leave, &ending);
	if (ending.failed)
		return false;
	tstack_cells_leave(self);
	cells_forget(self);
	free(self->backed);
	self->backed = NULL;
	self->unbacked = 0;
	tstack_window_end(self);
	self->claims = self->needs = false;
	self->region = NULL;
	self->bytes = 0;
	return true;
}

bool tstack_arena_free(struct tstack_pool *self, const struct mnm_place *place)
{
	struct arena_cell *cell;

	if (place->addr - self->begin >= self->bytes)
		return false;
	cell = arena_find(&self->arena, place->addr - self->begin);
	if (!cell || !arena_cell_lives(cell) || cell->size != place->bytes)
		return false;
	arena_leave(&self->arena, cell, place->epoch, place->stream,
		    course_now(&self->course));
	if (!cell->planned)
		arena_drop(&self->arena, cell);
	return true;
}

bool tstack_is_ready(const struct replay_free *freed, void *argument)
{
	return freed->epoch == MNM_EPOCH_NEVER ||
	       mnm_request_is_behind(argument, freed->stream, freed->epoch);
}

/* The block of the slot that the request is for. */
static bool slot_place(struct tstack_pool *self, uint32_t slot,
		       const struct mnm_request *request,
		       struct mnm_place *place)
{
	const struct replay_slot *at = replay_slot_at(self->replay, slot);

	if (at->offset + at->size > self->bytes ||
	    !arena_prepare(&self->arena, at->offset, at->size))
		return false;
	tstack_lived(self, arena_find(&self->arena, at->offset));
	replay_take(self->replay, &self->arena, slot, request->span,
		    course_now(&self->course));
	*place = (struct mnm_place){.region = self->region,
				    .addr = self->begin + at->offset,
				    .bytes = request->span,
				    .epoch = replay_epoch(self->replay)};
	return true;
}

enum mnm_answer tstack_follow(struct tstack_pool *self,
			      const struct mnm_request *request,
			      struct mnm_place *place)
{
	struct mnm_request asked = *request;
	enum replay_answer answer;
	uint32_t slot;

	if (!self->replay)
		return MNM_MISS;
	slot = tstack_ask(self, request);
	if (!self->region || slot == REPLAY_NONE ||
	    replay_slot_at(self->replay, slot)->size < request->span ||
	    tstack_window_has(self, replay_slot_at(self->replay, slot)))
		return MNM_MISS;
	answer = replay_look(self->replay, &self->arena, slot, tstack_is_ready,
			     &asked);
	self->figures.blocked += answer == REPLAY_TAKEN;
	if (answer != REPLAY_TAKEN &&
	    !is_backed(self, replay_slot_at(self->replay, slot))) {
		self->need_span = request->span;
		return MNM_MISS;
	}
	if (answer == REPLAY_EARLY)
		return MNM_UNSAFE;
	return answer == REPLAY_FREE && slot_place(self, slot, request, place)
		       ? MNM_HIT
		       : MNM_MISS;
}
