#include "tstack_window.h"

#include <stdlib.h>

#include "plan/window.h"

enum {
	LOST_PERCENT = 10, /* of the planned bytes: if more lost their place,
			    * the arena ends as a whole */
	PERCENT = 100,
};

struct look {
	struct window_slot *slots;
	size_t count;
	uint64_t all, lost; /* bytes of slots: of all, and without a place */
	bool *taken;        /* pages */
	size_t pages;
};

static size_t page_of(uint64_t offset)
{
	return offset / MNM_REGION_PAGE;
}

static size_t pages_up(uint64_t bytes)
{
	return page_of(bytes + MNM_REGION_PAGE - 1);
}

bool tstack_window_has(const struct tstack_pool *self,
		       const struct replay_slot *slot)
{
	size_t end = pages_up(slot->offset + slot->size);

	for (size_t i = page_of(slot->offset); self->gone && i < end; i++)
		if (self->gone[i])
			return true;
	return false;
}

void tstack_window_end(struct tstack_pool *self)
{
	free(self->gone);
	self->gone = NULL;
}

/* Its pages go back by themselves only where a region grows. */
static bool pages_prepare(struct tstack_pool *self)
{
	if (!self->region || !self->backed || self->claims)
		return false;
	if (!self->gone)
		self->gone = calloc(pages_up(self->bytes), sizeof(*self->gone));
	return self->gone;
}

static void slots_add(struct look *look, const struct tstack_pool *self,
		      const struct replay *replay)
{
	for (size_t i = 0; i < replay_count(replay); i++) {
		const struct replay_slot *slot =
			replay_slot_at(replay, (uint32_t)i);

		look->all += slot->size;
		if (!slot->size)
			continue;
		if (tstack_window_has(self, slot)) {
			look->lost += slot->size;
			continue;
		}
		look->slots[look->count++] = (struct window_slot){
			.begin = page_of(slot->offset),
			.end = pages_up(slot->offset + slot->size),
			.cost = slot->size};
	}
}

/* Pages without memory, and those that a live block has. */
static void taken_note(struct look *look, const struct tstack_pool *self)
{
	const struct arena *arena = &self->arena;

	for (size_t i = 0; i < look->pages; i++)
		look->taken[i] = !self->backed[i];
	if (self->bytes % MNM_REGION_PAGE) /* the rest of it is the base's */
		look->taken[look->pages - 1] = true;
	for (size_t i = 0; i < arena->count; i++) {
		const struct arena_cell *at = arena->cells[i];
		size_t end = pages_up(at->offset + at->size);

		if (!arena_cell_lives(at))
			continue;
		for (size_t j = page_of(at->offset); j < end; j++)
			look->taken[j] = true;
	}
}

static bool look_open(struct look *look, const struct tstack_pool *self)
{
	const struct templates *templates = &self->templates;
	size_t count = 0;

	for (size_t i = 0; i < TEMPLATES_MOST; i++)
		if (templates->all[i].id)
			count += replay_count(templates->all[i].replay);
	*look = (struct look){.pages = pages_up(self->bytes)};
	look->slots = calloc(count + 1, sizeof(*look->slots));
	look->taken = calloc(look->pages, sizeof(*look->taken));
	if (!look->slots || !look->taken)
		return false;
	for (size_t i = 0; i < TEMPLATES_MOST; i++)
		if (templates->all[i].id)
			slots_add(look, self, templates->all[i].replay);
	taken_note(look, self);
	return true;
}

static void look_close(struct look *look)
{
	free(look->slots);
	free(look->taken);
}

static bool window_look(const struct tstack_pool *self, size_t want,
			struct window *window)
{
	struct look look;
	bool found =
		look_open(&look, self) &&
		window_find(look.slots, look.count, look.taken, look.pages,
			    want, window) &&
		(look.lost + window->cost) * PERCENT <= look.all * LOST_PERCENT;

	look_close(&look);
	return found;
}

bool tstack_window_take(struct tstack_pool *self, size_t bytes,
			struct mnm_place *place)
{
	struct window window;
	size_t want;

	if (bytes > self->bytes || !pages_prepare(self))
		return false;
	want = pages_up(bytes);
	if (!want || !window_look(self, want, &window))
		return false;
	for (size_t i = window.begin; i < window.begin + want; i++) {
		self->backed[i] = false;
		self->gone[i] = true;
	}
	self->unbacked += want;
	/* No slot is known to have a place any more. */
	templates_leave(&self->templates);
	replay_begin(self->replay, replay_next(self->replay));
	*place = (struct mnm_place){.region = self->region,
				    .addr = self->begin +
					    window.begin * MNM_REGION_PAGE,
				    .bytes = want * MNM_REGION_PAGE,
				    .epoch = arena_latest(&self->arena).epoch};
	return true;
}
