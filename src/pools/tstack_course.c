/* What tstack_pool knows of requests that came in their turn, with the pool's
 * lock or without it: they are accounted for in runs, before anything else
 * is. */
#include "tstack.h"
#include "tstack_templates.h"

enum {
	CYCLES_TOLD = 4,  /* of a run, so that it takes no longer to be told */
	REFINE_MOST = 10, /* log2 of the most laps between two plans */
};

uint64_t tstack_beside(const struct tstack_pool *self)
{
	return self->pool.live_span + (uint64_t)self->arena.owed_bytes -
	       self->arena.counted;
}

uint64_t tstack_live(const struct tstack_pool *self)
{
	uint64_t bytes;

	arena_live(&self->arena, &bytes);
	return tstack_beside(self) + bytes;
}

struct course *tstack_pool_course(struct mnm_pool *pool)
{
	return &tstack_of(pool)->course;
}

bool tstack_is_foretold(const struct tstack_pool *self)
{
	const struct template *current = self->templates.current;
	uint64_t number =
		self->finder ? finder_period(self->finder)->number : 0;

	return current &&
	       (current->number ? current->number == number : current->loads);
}

/* A finder that has another period has to see each request. */
void tstack_course_turn(struct tstack_pool *self)
{
	self->course.replay = tstack_is_foretold(self) ? self->replay : NULL;
}

/* As another plan was followed when this one's period was found, say: lives
 * that differ are not seen as requests come. A plan of the last lap that is
 * known as a whole has them right. */
void tstack_refine(struct tstack_pool *self)
{
	struct period period;

	if (self->job || !self->finder || !tstack_is_foretold(self) ||
	    !self->templates.current->number ||
	    !finder_period(self->finder)->exact ||
	    self->begins[0] - self->begins[1] !=
		    self->templates.current->length ||
	    ++self->refining < self->refine)
		return;
	period = finder_again(self->finder, self->begins[1]);
	self->refining = 0;
	if (self->refine < (uint64_t)1 << REFINE_MOST)
		self->refine *= 2;
	tstack_job_refine(self, &period);
}

/* Whether a run has the request before the one at which least is live. */
static bool run_turns(const struct tstack_pool *self,
		      const struct replay_run *run)
{
	uint64_t lap = replay_lap(self->replay);
	uint64_t until = (self->least + 2 * lap - 1 - run->first % lap) % lap;

	return until < run->count;
}

static void lap_begin_note(struct tstack_pool *self, uint64_t serial)
{
	self->begins[1] = self->begins[0];
	self->begins[0] = serial;
}

/* The slot's block, if it lives, is the finder's request of that serial. */
static void cell_tell(struct tstack_pool *self, uint32_t slot, uint64_t serial)
{
	struct arena_cell *cell = replay_cell(self->replay, slot);

	if (cell && cell->slot == slot)
		cell->told = serial + 1;
}

void tstack_lived(struct tstack_pool *self, const struct arena_cell *cell)
{
	if (!cell->told || !self->finder || replay_lived(self->replay, cell))
		return;
	finder_correct(self->finder, cell->told - 1,
		       (uint32_t)(cell->freed_at - cell->taken_at));
	self->lap.amiss++;
}

/* As many of the slots from that one on, up to `most`, as are requests of the
 * period that follow each other, but those behind one with which an iteration
 * begins. What an inexact period leaves out did not come. */
static uint64_t part_tell(struct tstack_pool *self, uint32_t slot,
			  uint64_t most, bool *begins)
{
	const struct replay_slot *at = replay_slot_at(self->replay, slot);
	uint64_t serial = self->finder ? finder_count(self->finder) : 0;
	uint64_t first = at->request, part = 0;
	uint64_t length = self->templates.current->length;

	*begins = false;
	while (part < most &&
	       (!part || at->request == (first + part) % length)) {
		if (part && templates_begin_at(&self->templates, slot))
			break;
		*begins |= templates_pass(&self->templates, slot);
		cell_tell(self, slot, serial + part);
		if (!at->request)
			lap_begin_note(self, serial + part);
		part++;
		slot = slot + 1 == replay_count(self->replay) ? 0 : slot + 1;
		at = replay_slot_at(self->replay, slot);
	}
	if (self->finder)
		finder_skip(self->finder, first, part);
	return part;
}

/* What the finder and the templates are told of a run: it came as foretold. */
static void run_tell(struct tstack_pool *self, const struct replay_run *run)
{
	uint64_t slots = replay_count(self->replay), slot = run->first;
	uint64_t left = run->count, part, serial;
	bool begins;

	/* What was asked for before that has lived for too long to be planned,
	 * if it lives yet. */
	if (left > CYCLES_TOLD * slots)
		left = left % slots + CYCLES_TOLD * slots;
	for (; left; left -= part) {
		serial = self->finder ? finder_count(self->finder) : 0;
		part = part_tell(self, (uint32_t)slot, left, &begins);
		slot = (slot + part) % slots;
		if (begins && self->finder && self->templates.current->number)
			tstack_iteration_end(self, serial);
	}
}

void tstack_catch_up(struct tstack_pool *self)
{
	struct replay_run run;

	course_recall(&self->course);
	if (!self->replay)
		return;
	run = replay_run(self->replay);
	if (!run.count)
		return;
	self->figures.steps += run.steps;
	run_tell(self, &run);
	tstack_lap_count(self, run.count, run.bytes, true,
			 run_turns(self, &run));
}

/* While pages are to go back, or blocks are to come that the program keeps,
 * each request is looked at. */
bool tstack_is_settled(const struct tstack_pool *self)
{
	return self->kept >= self->beginning.kept_count &&
	       (!self->backed || self->shed_due > 1);
}

void tstack_pool_course_end(struct mnm_pool *pool)
{
	struct tstack_pool *self = tstack_of(pool);

	if (!self->course.doors)
		return;
	self->course.doors->close(&self->course);
	tstack_cells_leave(self);
	self->course.doors = NULL;
}

struct arena_cell *tstack_pool_cell(const struct mnm_pool *pool, uint64_t addr)
{
	const struct tstack_pool *self = (const struct tstack_pool *)pool;

	struct arena_cell *cell = NULL;

	if (addr - self->begin < self->bytes)
		cell = arena_find(&self->arena, addr - self->begin);
	return cell && cell->planned ? cell : NULL;
}

bool tstack_pool_in_turn(const struct mnm_pool *pool,
			 const struct arena_cell *cell)
{
	const struct tstack_pool *self = (const struct tstack_pool *)pool;

	return self->course.turns && !cell->stray && self->replay &&
	       cell->slot < replay_count(self->replay) &&
	       replay_slot_at(self->replay, cell->slot)->plain;
}

void tstack_pool_count(struct mnm_pool *pool, struct arena_cell *cell)
{
	arena_count(&tstack_of(pool)->arena, cell);
}

struct arena_owed tstack_pool_owed(struct mnm_pool *pool)
{
	return arena_owed(&tstack_of(pool)->arena);
}
