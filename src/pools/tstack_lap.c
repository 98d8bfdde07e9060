/* How tstack_pool follows a plan from lap to lap, and sees that it does not
 * pay. */
#include "tstack.h"
#include "tstack_templates.h"

enum {
	POOR_MOST = 8,     /* laps with too little placed, and it leaves */
	POOR_PERCENT = 90, /* of the bytes of a lap: less is too little */
	LATE = 8,          /* laps without the moment for a plan */
	WELL = 4,          /* times the laps that it waited, and all is well */
	FIRST_LAPS = 3, /* in which what a program keeps may be in the way of a
			 * loaded plan: it moves on once more */
	VAIN_LEAST = 1 << 15, /* requests for which a loaded plan is of no use,
			       * and it goes */
	PERCENT = 100,
};

static bool is_poor(uint64_t part, uint64_t bytes)
{
	return part * PERCENT < bytes * POOR_PERCENT;
}

/* Once the arena has its pages, or those that are needed, as it needed no more
 * of them for an iteration, those that the base pool needs at no time of an
 * iteration go back. After that they do so after twice as many iterations each
 * time. */
static void spare_shed(struct tstack_pool *self)
{
	bool grew = self->unbacked && self->unbacked != self->lacked;

	self->lacked = self->unbacked;
	if (grew || !self->backed || ++self->laps < self->shed_due)
		return;
	self->laps = 0;
	self->shed_due *= 2;
	if (self->spare >= MNM_REGION_PAGE)
		self->surplus = self->spare;
}

/* If no template has foreseen much of late, the program does something else
 * now: then all of them go. */
static void template_leave(struct tstack_pool *self)
{
	const struct templates *templates = &self->templates;

	if (templates_count(templates) > 1 &&
	    templates->foreseen > templates->asked / 2) {
		templates_drop(&self->templates);
		tstack_template_look(self);
	} else if (tstack_arena_end(self)) {
		tstack_leave(self);
	}
}

/* Whether what stays in the arena is in the way of the plan, which had better
 * have another one. */
static bool is_in_the_way(struct tstack_pool *self,
			  const struct tstack_lap *lap)
{
	if (self->loaded && self->loaded_laps++ < FIRST_LAPS &&
	    self->templates.current->poor)
		return true;
	return tstack_stray_stays(self, self->figures.blocked > lap->blocked);
}

/* A lap has ended, or should have. */
static void lap_end(struct tstack_pool *self)
{
	const struct tstack_lap lap = self->lap;
	struct template *current = self->templates.current;

	self->lap = (struct tstack_lap){.blocked = self->figures.blocked};
	if (++self->age > (uint64_t)WELL << self->vain)
		self->vain = 0;
	if (self->spare == SIZE_MAX) /* each request came in its turn */
		self->spare = tstack_spare(self, 0);
	spare_shed(self);
	self->spare = SIZE_MAX;
	current->poor = is_poor(lap.placed, lap.asked) ? current->poor + 1 : 0;
	if (current->poor >= POOR_MOST)
		template_leave(self);
	else if (is_in_the_way(self, &lap) && tstack_arena_end(self))
		tstack_yield(self);
	else if (lap.amiss && !current->poor)
		tstack_refine(self);
}

void tstack_lap_count(struct tstack_pool *self, uint64_t requests,
		      uint64_t bytes, bool placed, bool turns)
{
	self->lap.asked += bytes;
	self->lap.placed += placed ? bytes : 0;
	self->lap.requests += requests;
	self->figures.asked_bytes += bytes;
	self->figures.placed_bytes += placed ? bytes : 0;
	if (turns || self->lap.requests > 2 * replay_lap(self->replay))
		lap_end(self);
}

/* Whether hardly more is live than when least is. */
static bool is_calm(const struct tstack_pool *self)
{
	return self->finder && finder_history(self->finder)->live <= self->calm;
}

/* The plan is not followed yet, and the program has not come to where least is
 * live for long: it leaves that out. A plan from a file goes then. */
static bool is_late(struct tstack_pool *self, bool turns)
{
	self->waited =
		turns || self->region || self->loaded ? 0 : self->waited + 1;
	if (self->waited < LATE * replay_lap(self->replay))
		return false;
	self->waited = 0;
	return replay_next(self->replay) != REPLAY_NONE;
}

/* The last request came as that slot's, if any, and has been fed. */
static void slot_note(struct tstack_pool *self, uint32_t slot)
{
	if (slot != REPLAY_NONE && self->finder &&
	    !replay_slot_at(self->replay, slot)->request)
		tstack_lap_begins(self, finder_count(self->finder) - 1);
}

/* A request has come while a loaded plan is in force. Whether the plan is of no
 * use: it has had no place for many, or has found no beginning of an iteration,
 * as that of a program which leaves some of its requests out. */
static bool is_in_vain(struct tstack_pool *self, uint32_t next)
{
	self->unseen += next == REPLAY_NONE;
	self->idle = self->region ? 0 : self->idle + 1;
	return self->unseen >= VAIN_LEAST ||
	       self->idle >= VAIN_LEAST + 2 * replay_lap(self->replay);
}

/* A plan is made use of once an iteration begins, when least is live. */
void tstack_lap_step(struct tstack_pool *self,
		     const struct mnm_request *request, bool placed)
{
	uint32_t next, lap = (uint32_t)replay_lap(self->replay);
	size_t bytes = request->span;
	bool turns;

	slot_note(self, replay_came(self->replay));
	tstack_template_served(self, request);
	next = replay_next(self->replay);
	self->figures.deviations +=
		self->region && replay_missed(self->replay) > 0;
	/* It turns by a request of the plan. */
	turns = next != REPLAY_NONE && next % lap == self->least &&
		!replay_missed(self->replay);
	turns |= is_late(self, turns);
	if (self->region && self->spare > tstack_spare(self, bytes))
		self->spare = tstack_spare(self, bytes);
	if (self->region)
		tstack_lap_count(self, 1, bytes, placed, turns);
	else if (turns && self->patience)
		self->patience--;
	else if (!self->asked.known &&
		 (turns ||
		  (!self->patience && next != REPLAY_NONE && is_calm(self))))
		self->wanted = templates_peak(&self->templates);
	if (self->loaded && is_in_vain(self, next) &&
	    (!self->region || tstack_arena_end(self)))
		tstack_leave(self);
}
