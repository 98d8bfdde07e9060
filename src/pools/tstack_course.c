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

/* As another plan was followed when this one's period was found, say: lives
 * that differ are not seen as requests come. A plan of the last lap that is
 * known as a whole has them right. */
void tstack_refine(struct tstack_pool *self)
{
	const struct template *current = self->templates.current;
	struct period period = {.number = current->number,
				.first = self->begins[1],
				.length = current->length,
				.exact = current->exact};

	if (self->job || !self->finder || !current->number || !current->whole ||
	    self->begins[0] - self->begins[1] != current->length ||
	    period.first < finder_history(self->finder)->first ||
	    ++self->refining < self->refine)
		return;
	history_keep(finder_history(self->finder), period.first, period.length);
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

void tstack_lap_begins(struct tstack_pool *self, uint64_t serial)
{
	self->begins[1] = self->begins[0];
	self->begins[0] = serial;
}

/* The slot's block, if it lives, is the finder's request of that serial. */
static void cell_tell(struct tstack_pool *self, uint32_t slot, uint64_t serial)
{
	struct arena_cell *cell = replay_cell(self->replay, slot);

	if (cell && cell->plan == self->templates.current->id &&
	    cell->slot == slot)
		cell->told = serial + 1;
}

void tstack_lived(struct tstack_pool *self, const struct arena_cell *cell)
{
	const struct template *by =
		templates_find(&self->templates, cell->plan);
	uint32_t life = (uint32_t)(cell->freed_at - cell->taken_at);

	if (!cell->told || !self->finder)
		return;
	finder_correct(self->finder, cell->told - 1, life);
	if (by && cell->slot < replay_count(by->replay))
		replay_lives(by->replay, cell->slot, life);
	self->lap.amiss += !replay_lived(cell);
}

void tstack_lives_on(struct tstack_pool *self, const struct arena_cell *cell)
{
	if (!arena_cell_lives(cell)) {
		tstack_lived(self, cell);
		return;
	}
	if (!cell->told || !self->finder ||
	    !address_map_prepare(&self->serials, self->serials.count + 1))
		return;
	finder_live_on(self->finder, cell->told - 1);
	address_map_set(&self->serials, self->begin + cell->offset,
			cell->told - 1);
}

/* The finder and the templates are told that the slot's request came. */
static void slot_tell(struct tstack_pool *self, uint32_t slot)
{
	const struct replay_slot *at = replay_slot_at(self->replay, slot);
	bool begins = templates_pass(&self->templates, slot);
	uint64_t serial;

	/* What a plan from a file says of lives has never been seen. */
	if (!self->finder || !self->templates.current->number)
		return;
	serial = finder_count(self->finder);
	if (begins)
		tstack_iteration_end(self, serial);
	finder_foretold(self->finder, self->templates.current->number,
			at->token, at->size, at->life, at->level);
	cell_tell(self, slot, serial);
	if (!at->request)
		tstack_lap_begins(self, serial);
}

/* It came as the plan has it. */
static void run_tell(struct tstack_pool *self, const struct replay_run *run)
{
	uint64_t slots = replay_count(self->replay), slot = run->first;
	uint64_t left = run->count;

	/* What was asked for before that has lived for too long to be planned,
	 * if it lives yet. */
	if (left > CYCLES_TOLD * slots)
		left = left % slots + CYCLES_TOLD * slots;
	for (; left; left--) {
		slot_tell(self, (uint32_t)slot);
		slot = slot + 1 == slots ? 0 : slot + 1;
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

	const struct template *current = self->templates.current;

	return self->course.turns && !cell->stray && current &&
	       cell->plan == current->id &&
	       cell->slot < replay_count(current->replay) &&
	       replay_slot_at(current->replay, cell->slot)->plain;
}

void tstack_pool_count(struct mnm_pool *pool, struct arena_cell *cell)
{
	arena_count(&tstack_of(pool)->arena, cell);
}

struct arena_owed tstack_pool_owed(struct mnm_pool *pool)
{
	return arena_owed(&tstack_of(pool)->arena);
}
